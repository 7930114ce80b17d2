" For vimrc, with vim-lsp. JSON is for .memfs.config.json.
autocmd User lsp_setup call lsp#register_server({
\   'name': 'memls',
\   'cmd': ['memls'],
\   'allowlist': ['markdown', 'json'],
\})
