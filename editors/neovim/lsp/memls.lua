-- For Neovim 0.11 and later: put this file into ~/.config/nvim/lsp/ and
-- vim.lsp.enable('memls') into init.lua.
return {
  cmd = { 'memls' },
  filetypes = { 'markdown', 'json' }, -- json: .memfs.config.json
  root_markers = { '.git' },
}
