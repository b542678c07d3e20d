#ifndef C_MANUAL_H
#define C_MANUAL_H

/// The number of pages of the manual.
extern const int manual_page_count;

/// Returns the topic of a page: the name of its file without the ending.
const char *_Nonnull manual_page_topic(int page);

/// Returns the Markdown of a page.
const char *_Nonnull manual_page_text(int page);

/// Returns config.example.json.
const char *_Nonnull manual_example_configuration(void);

#endif
