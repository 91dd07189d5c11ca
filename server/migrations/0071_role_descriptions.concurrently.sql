-- Says in plain words what the built-in roles Editor and Viewer can do.
update roles set description = 'Can create projects and change integrations, segments, context fields, strategy types and tag types. Can change flags only in the default project and in projects where they have a role'
where id in (select id from roles where id = 2 and description like 'May use every part %' limit 1);
update roles set description = 'Can read every project that is not private'
where id in (select id from roles where id = 3 and description = 'May read' limit 1);
