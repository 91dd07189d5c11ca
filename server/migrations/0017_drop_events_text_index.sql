-- Text is searched in event_text_postings, which a job writes. This index took 28 of the 75 ms of a change with 158 events.
-- Dropping it takes a short lock on events; PostgreSQL removes the files after it has released the lock.
drop index events_text_idx;
