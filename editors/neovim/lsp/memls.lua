-- The server, as vim.lsp.config of Neovim 0.11 and later wants it.
return {
  cmd = { 'memls' },
  filetypes = { 'markdown', 'json' }, -- json: .memfs.config.json
  root_markers = { '.git' },
  on_init = function(client)
    -- Told that diagnostics changed, Neovim 0.12 asks for those of the whole
    -- workspace where a server has them, and then shows none of them in the
    -- buffers that it pulls one by one, which are all that are open.
    local provider = client.server_capabilities.diagnosticProvider
    if provider then
      provider.workspaceDiagnostics = false
    end
  end,
}
