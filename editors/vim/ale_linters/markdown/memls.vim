" memls for ALE, which finds this file when editors/vim is on 'runtimepath'.
function! s:Root(buffer) abort
  let l:file = ale#path#FindNearestFile(a:buffer, '.git') " in a worktree
  return empty(l:file)
  \   ? fnamemodify(ale#path#FindNearestDirectory(a:buffer, '.git'), ':h:h')
  \   : fnamemodify(l:file, ':h')
endfunction

call ale#linter#Define('markdown', {
\   'name': 'memls',
\   'lsp': 'stdio',
\   'executable': 'memls',
\   'command': '%e',
\   'project_root': function('s:Root'),
\})
