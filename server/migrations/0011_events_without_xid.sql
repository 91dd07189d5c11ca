-- The system column xmin already says which transaction inserted an event.
alter table events drop column xid;
