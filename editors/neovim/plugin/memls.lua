-- Starts memls for Markdown and JSON files as lsp/memls.lua says.
if vim.lsp.enable then -- Neovim 0.11 and later
  vim.lsp.enable('memls')
  return
end

-- One server is enough: it finds the repository of every file by itself.
local config = dofile(vim.api.nvim_get_runtime_file('lsp/memls.lua', false)[1])
local client
vim.api.nvim_create_autocmd('FileType', {
  pattern = config.filetypes,
  callback = function(event)
    if not client or not vim.lsp.get_client_by_id(client) then
      client = vim.lsp.start_client({ name = 'memls', cmd = config.cmd, root_dir = vim.fn.getcwd() })
    end
    if client then
      vim.lsp.buf_attach_client(event.buf, client)
    end
  end,
})
