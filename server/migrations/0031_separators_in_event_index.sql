-- The text index has separators, such as ": {". Indexed chunks lack them, so the job indexes the text of all events again. Until then a
-- search for text reads the log.
truncate event_text_postings;
update event_index_progress set chunks = 0 where part = 'text';
