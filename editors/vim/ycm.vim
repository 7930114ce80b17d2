" For vimrc, with YouCompleteMe, which leaves Markdown alone unless told not to.
" JSON is for .memfs.config.json.
let g:ycm_language_server = [
\   {'name': 'memls', 'cmdline': ['memls'], 'filetypes': ['markdown', 'json'], 'project_root_files': ['.git']},
\]
let g:ycm_filetype_blacklist = {}
