-- Builds the documents of the flags that exist. A batch holds the rows of its flags for about 50 ms.
delete from sdk_rebuilds where (kind, key) in (select kind, key from sdk_rebuilds limit 100);
