// SPDX-License-Identifier: BSD-3-Clause
// Excerpts of search results are fetched, which a browser refuses for local files; results come without them.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
