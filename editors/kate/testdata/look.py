# Looks at Kate as assistive technology does: for a widget of a role whose name
# has a text in it. Ends with 0 when there is one, which it may press, with 1
# when there is none, and otherwise when it cannot tell. Each look is a process
# of its own because the library keeps what a starting Kate told it.
# usage: look.py ROLE TEXT [press]
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib


def children(widget):
    for i in range(widget.get_child_count()):
        child = widget.get_child_at_index(i)
        if child is not None:
            yield child


def find(widget, role, text):
    if widget.get_role_name() == role and text in (widget.get_name() or ""):
        return widget
    return next((found for child in children(widget) if (found := find(child, role, text))), None)


def press(widget):
    try:
        Atspi.Action.do_action(widget, 0)
    except GLib.Error:
        pass  # it went before it could answer


try:
    kate = [app for app in children(Atspi.get_desktop(0)) if app.get_name() == "kate" and app.get_child_count() > 0]
    if not kate:
        sys.exit(2)
    found = find(kate[0], *sys.argv[1:3])
    if found is None:
        sys.exit(1)
    if sys.argv[3:] == ["press"]:
        press(found)
except GLib.Error:  # a widget went while it was looked at
    sys.exit(2)
