-- Which token an instance of an application was last seen with, so that a token shows the applications that use it. The version before
-- does not write the column: its instances belong to no token until they are seen again.
alter table application_instances add column token_id integer;
