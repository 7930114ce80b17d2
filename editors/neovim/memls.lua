-- For Neovim 0.7 to 0.10: put this file into ~/.config/nvim/plugin/.
-- One server is enough: it finds the repository of every file by itself.
local client
vim.api.nvim_create_autocmd('FileType', {
  pattern = { 'markdown', 'json' }, -- json: .memfs.config.json
  callback = function(event)
    if not client or not vim.lsp.get_client_by_id(client) then
      client = vim.lsp.start_client({ name = 'memls', cmd = { 'memls' }, root_dir = vim.fn.getcwd() })
    end
    if client then
      vim.lsp.buf_attach_client(event.buf, client)
    end
  end,
})
