-- What :checkhealth memls says.
local health = vim.health or require('health')
-- Neovim 0.10 dropped the prefix.
local start, ok = health.start or health.report_start, health.ok or health.report_ok
local warn, fail = health.warn or health.report_warn, health.error or health.report_error

local function clients()
  local all = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  return vim.tbl_filter(function(client) return client.name == 'memls' end, all)
end

local function check()
  start('memls')
  if vim.fn.executable('memls') == 0 then
    fail('memls is not on the PATH', { 'Put its directory on the PATH that Neovim is started with' })
    return
  end
  local version = vim.fn.system({ 'memls', 'version' })
  if vim.v.shell_error ~= 0 then
    fail('memls does not run: ' .. version)
    return
  end
  ok(vim.trim(version) .. ' is ' .. vim.fn.exepath('memls'))
  if vim.fn.executable('git') == 0 then
    fail('git is not on the PATH: memls asks it for what is committed')
  else
    ok('git is ' .. vim.fn.exepath('git'))
  end
  local running = #clients()
  if running == 0 then
    warn('no server is running', { 'Open a Markdown file of a memory repository' })
  else
    ok('servers running: ' .. running)
  end
end

return { check = check }
