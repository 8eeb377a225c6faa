"""The console: a design and its data in a web browser.

`application.build` makes the web application of one or more designs. `api/` has one file for each view; `page/` is the
page, in plain ES modules. Data is read and written through `access`, `lifecycle` and `connections`, never the engine.
"""
