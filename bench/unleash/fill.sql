-- What the open-source edition's API cannot do, and what only older versions allowed. A statement with "needs" is skipped in versions
-- that lack one of these columns.

insert into environments (name, type, sort_order, enabled) values ('staging', 'test', 50, true);

insert into environments (name, type, sort_order, enabled) values ('closed', 'test', 60, false);

insert into projects (id, name, description) values ('payments', 'Payments', 'Money');

insert into project_environments (project_id, environment_name) values ('payments', 'staging'), ('payments', 'production');

-- needs project_settings.feature_limit project_settings.feature_naming_pattern
insert into project_settings (project, default_stickiness, project_mode, feature_limit, feature_naming_pattern, feature_naming_example)
  values ('payments', 'userId', 'protected', 50, 'pay\..+', 'pay.cards');

-- needs project_environments.default_strategy
update project_environments set default_strategy = '{"name":"flexibleRollout","parameters":{"rollout":"10","stickiness":"userId","groupId":"x"},"constraints":[],"segments":[]}'
  where project_id = 'payments' and environment_name = 'production';

insert into features (name, project, type, description) values ('pay.cards', 'payments', 'release', 'Cards');

insert into feature_environments (feature_name, environment, enabled) values ('pay.cards', 'staging', true), ('pay.cards', 'production', false);

insert into feature_strategies (id, feature_name, project_name, environment, strategy_name, parameters, constraints, sort_order)
  values ('01HV8YB4ZC6Q1J3M5N7P9R1T3V', 'pay.cards', 'payments', 'staging', 'gradualRolloutUserId', '{"percentage":"30","groupId":"cards"}', '[]', 0),
         ('01HV8YB4ZC6Q1J3M5N7P9R1T3W', 'pay.cards', 'payments', 'staging', 'default', '{}', '[]', 9999),
         ('01HV8YB4ZC6Q1J3M5N7P9R1T3X', 'pay.cards', 'payments', 'staging', 'userWithId', '{"userIds":"1,2"}', '[]', 9999)
  on conflict do nothing;

-- needs segments.segment_project_id
insert into segments (name, description, constraints, segment_project_id, created_by)
  values ('payers', 'Pay', '[{"contextName":"userId","operator":"IN","values":["9"]}]', 'payments', 'admin');

insert into feature_strategy_segment (feature_strategy_id, segment_id)
  select strategies.id, segments.id from feature_strategies as strategies, segments
  where feature_name = 'checkout-v2' and parameters ->> 'stickiness' = 'userId' and segments.name in ('beta-users', 'nordics')
  on conflict do nothing;

-- With SQL, because the API looks up the receiver.
insert into addons (provider, description, enabled, parameters, events, projects, environments) values
  ('webhook', 'To the chat', true, '{"url":"https://chat.example.com/hook","authorization":"Bearer a-secret"}',
   '["feature-created","feature-archived"]', '["default"]', '["production"]'),
  ('slack', null, false, '{"url":"https://hooks.slack.example.com/T/1","defaultChannel":"flags"}',
   '["feature-environment-enabled"]', '[]', '[]'),
  ('jira-comment', null, true, '{"baseUrl":"x"}', '["feature-created"]', '[]', '[]');

-- needs api_tokens.alias
update api_tokens set alias = 'an-old-secret-of-a-proxy-0123456789' where secret like 'default:development.%';

-- Rows that our validation rejects.
insert into features (name, project, type) values ('odd-weights', 'default', 'release'), ('empty-list', 'default', 'release'),
  ('grandchild', 'default', 'release'), ('Ünusual name', 'default', 'release'), ('for-all', 'default', 'release');

insert into feature_environments (feature_name, environment, enabled, variants) values
  ('odd-weights', 'production', true, '[{"name":"a","weight":400,"weightType":"fix","stickiness":"default"},{"name":"b","weight":500,"weightType":"fix","stickiness":"default"}]'),
  ('empty-list', 'production', true, '[]'), ('grandchild', 'production', true, '[]'), ('for-all', 'production', true, '[]');

insert into feature_strategies (id, feature_name, project_name, environment, strategy_name, parameters, constraints, sort_order) values
  ('11111111-1111-4111-8111-111111111111', 'odd-weights', 'default', 'production', 'default', '{}', '[]', 0),
  ('22222222-2222-4222-8222-222222222222', 'empty-list', 'default', 'production', 'default', '{}', '[{"contextName":"userId","operator":"IN","values":[]}]', 0),
  ('33333333-3333-4333-8333-333333333333', 'grandchild', 'default', 'production', 'default', '{}', '[]', 0);

-- needs dependent_features.child
insert into dependent_features (parent, child, enabled) values ('checkout-v2', 'grandchild', true) on conflict do nothing;

insert into roles (id, name, description, type) values (40, 'Releaser', 'Releases', 'custom'), (41, 'Auditor', 'Reads', 'root-custom');

-- needs role_permission.permission
insert into role_permission (role_id, permission, environment) values
  (40, 'UPDATE_FEATURE_ENVIRONMENT', 'production'), (40, 'CREATE_FEATURE', null), (41, 'READ_ROLE', null);

-- needs role_permission.permission_id
insert into role_permission (role_id, permission_id, environment)
  select 40, id, case when type = 'environment' then 'production' end from permissions where permission in ('UPDATE_FEATURE_ENVIRONMENT', 'CREATE_FEATURE')
  union all select 41, id, null from permissions where permission = 'READ_ROLE';

insert into groups (id, name, description, created_by, mappings_sso) values (30, 'Shop team', 'The shop', 'admin', '["shop@idp"]');

insert into group_user (group_id, user_id, created_by) select 30, id, 'admin' from users where username = 'ben';

insert into group_role (group_id, role_id, created_by, project) values (30, 5, 'admin', 'default');

insert into role_user (role_id, user_id, project) select 40, id, 'payments' from users where email = 'ada@example.com';

-- needs users.is_service
insert into users (name, username, is_service) values ('Deployer', 'deployer', true);

-- needs users.is_service
insert into role_user (role_id, user_id, project) select 2, id, 'default' from users where username = 'deployer';

-- needs users.is_service
insert into personal_access_tokens (secret, description, user_id, expires_at)
  select 'user:0123456789abcdef0123456789abcdef0123456789abcdef01234567', 'ci', id, now() + interval '1 year' from users where username = 'deployer';

-- needs change_requests.id
insert into change_requests (environment, state, project, created_by) values ('production', 'Draft', 'default', 1);
