"""The desk. Run it with `streamlit run app.py`; see README.md.

The file is both: imported by the server it is the hardened ASGI application, run for a session it is the frame.
"""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.widgets import frame, server

if get_script_run_ctx(suppress_warning=True) is None:
    server.prepare()
    # Streamlit looks for exactly `app = st.App(` in this file; without it, it would start its plain server: no headers, no checks.
    app = st.App(__file__, middleware=server.middleware(frame.ADDRESSES), on_script_error=server.report_fault)
else:
    frame.run_page()
