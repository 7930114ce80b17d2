-- Run by neovim_test.go in a Neovim whose configuration is the one under test,
-- with the file to mend in the current buffer. $DRIVE_FIX is the title of the
-- quick fix to apply. It fails by :cquit, with the reason on standard output.
local patience = 20000 -- ms; nothing here takes seconds

local function say(...)
  io.stdout:write(string.format(...) .. '\n')
end

local function wait_for(what, condition)
  if not vim.wait(patience, condition, 5) then
    error('waited in vain for ' .. what)
  end
end

local function drive()
  local note = vim.api.nvim_get_current_buf()
  wait_for('a diagnostic', function() return #vim.diagnostic.get(note) > 0 end)
  for _, d in ipairs(vim.diagnostic.get(note)) do
    -- Neovim counts from 0, people from 1.
    say('diagnostic %d:%d: %s [%s] %s', d.lnum + 1, d.col + 1, d.source, d.code or d.user_data.lsp.code, vim.split(d.message, '\n')[1])
  end

  -- The editor's own way: it asks the server, shows a list, applies the choice.
  local applied, offered = false, {}
  vim.ui.select = function(items, opts, on_choice)
    for _, item in ipairs(items) do
      local title = opts.format_item(item)
      table.insert(offered, title)
      if title == os.getenv('DRIVE_FIX') then
        applied = true
        say('applying %s', title)
        return on_choice(item)
      end
    end
  end
  vim.lsp.buf.code_action()
  wait_for('the list of quick fixes', function() return applied or #offered > 0 end)
  if not applied then
    error('offered are only: ' .. table.concat(offered, ', '))
  end
  wait_for('a changed buffer', function()
    return #vim.tbl_filter(function(b) return vim.bo[b].modified end, vim.api.nvim_list_bufs()) > 0
  end)
  vim.cmd('silent wall')
  wait_for('the end of the diagnostics', function() return #vim.diagnostic.get(note) == 0 end)
  say('no diagnostic left')
end

local ok, problem = pcall(drive)
if not ok then
  say('FAIL: %s', problem)
  vim.cmd('cquit')
end
vim.cmd('qall')
