import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { campaignSize } from '../../test/campaign.ts';
import { type DescribedEvent, describe, describeInParts, type EventPart } from './describe.ts';
import { EVENT_TYPE_NAMES, EVENT_TYPES } from './event-types.ts';
import { escapeMarkdown, toOneLine } from './markdown.ts';
import { REFERENCE_KINDS, type Reference } from './references.ts';

// The contract's list is written out here, so that a change to the table cannot go unnoticed.
const CONTRACT_TYPES = `
  application-created feature-created feature-deleted feature-updated feature-metadata-updated
  feature-variants-updated feature-environment-variants-updated feature-project-change feature-archived
  feature-revived feature-import feature-tagged feature-tag-import feature-strategy-update
  feature-strategy-add feature-strategy-remove feature-type-updated feature-completed feature-uncompleted
  strategy-order-changed drop-feature-tags feature-untagged feature-stale-on feature-stale-off
  drop-features feature-environment-enabled feature-environment-disabled strategy-created strategy-deleted
  strategy-deprecated strategy-reactivated strategy-updated strategy-import drop-strategies
  context-field-created context-field-updated context-field-deleted project-access-added
  project-access-user-roles-updated project-access-group-roles-updated project-access-user-roles-deleted
  project-access-group-roles-deleted project-access-updated project-created project-updated
  project-deleted project-archived project-revived project-import project-user-added project-user-removed
  project-user-role-changed project-group-role-changed project-group-added project-group-removed
  role-created role-updated role-deleted drop-projects tag-created tag-deleted tag-import drop-tags
  tag-type-created tag-type-deleted tag-type-updated tag-type-import drop-tag-types addon-config-created
  addon-config-updated addon-config-deleted db-pool-update user-created user-updated user-deleted
  drop-environments environment-import environment-created environment-updated environment-deleted
  segment-created segment-updated segment-deleted group-created group-updated group-deleted
  group-user-added group-user-removed setting-created setting-updated setting-deleted client-metrics
  client-register pat-created pat-deleted public-signup-token-created public-signup-token-user-added
  public-signup-token-updated change-request-created change-request-discarded change-added
  change-discarded change-edited change-request-rejected change-request-approved
  change-request-approval-added change-request-cancelled change-request-sent-to-review
  change-request-schedule-suspended change-request-applied change-request-scheduled
  change-request-scheduled-application-success change-request-scheduled-application-failure
  change-request-configuration-updated api-token-created api-token-updated api-token-deleted
  feature-favorited feature-unfavorited project-favorited project-unfavorited features-exported
  features-imported service-account-created service-account-deleted service-account-updated
  feature-potentially-stale-on feature-dependency-added feature-dependency-removed
  feature-dependencies-removed banner-created banner-updated banner-deleted project-environment-added
  project-environment-removed default-strategy-updated segment-import signal-endpoint-created
  signal-endpoint-updated signal-endpoint-deleted signal-endpoint-token-created
  signal-endpoint-token-updated signal-endpoint-token-deleted actions-created actions-updated
  actions-deleted release-plan-template-created release-plan-template-updated
  release-plan-template-deleted release-plan-template-archived release-plan-added release-plan-removed
  release-plan-milestone-started user-preference-updated scim-users-deleted scim-groups-deleted
`
  .trim()
  .split(/\s+/);

const NEWER_TYPES = [
  'feature-link-added',
  'feature-link-updated',
  'feature-link-removed',
  'feature-owners-updated',
  'project-view-created',
  'project-view-updated',
  'project-view-deleted',
  'user-password-changed',
  'user-password-link-created',
  'user-sessions-ended',
  'user-deactivated',
  'user-reactivated',
  'user-identity-linked',
  'login-blocked',
  'integration-disabled',
  'integration-failing',
  'integration-delivery-skipped',
  'integration-tested',
  'integration-secret-rotated',
  'integration-redelivered',
  'integration-backfilled',
  'service-account-token-created',
  'service-account-token-updated',
  'service-account-token-deleted',
  'health-finding-snoozed',
  'health-finding-unsnoozed',
  'feature-stage-entered',
  'application-updated',
  'application-deleted',
];

const FLAG = { project: 'default', featureName: 'checkout' };
const FLAG_IN_PRODUCTION = { ...FLAG, environment: 'production' };

function makeEvent(type: string, rest: Partial<DescribedEvent> = {}): DescribedEvent {
  return {
    type,
    createdBy: 'alice',
    project: null,
    environment: null,
    featureName: null,
    data: null,
    preData: null,
    ...rest,
  };
}

function summarize(type: string, rest: Partial<DescribedEvent> = {}): string {
  return describe(makeEvent(type, rest)).summary;
}

/** Returns a summary without escaped characters and without the bold markers around values. */
function stripEscapes(summary: string): string {
  return summary.replace(/\\[!-/:-@[-`{-~]/g, ' ').replaceAll('**', '');
}

test('the table has exactly the types of the contract, in the same order, followed by the newer types', () => {
  expect(CONTRACT_TYPES).toHaveLength(156);
  expect(EVENT_TYPE_NAMES).toEqual([...CONTRACT_TYPES, ...NEWER_TYPES]);
});

test('docs/contract.md lists the types beyond the contract', () => {
  const page = readFileSync(new URL('../../../../docs/contract.md', import.meta.url), 'utf8');
  const section = page.split('## Event types beyond the contract')[1]?.split('\n## ')[0] ?? '';

  const listedTypes = [...section.matchAll(/^- `([a-z-]+)`$/gm)].map(([, type]) => type);

  expect(listedTypes).toEqual(EVENT_TYPE_NAMES.slice(CONTRACT_TYPES.length));
});

test('every type has a distinct, readable label', () => {
  const labels = EVENT_TYPE_NAMES.map(type => describe(makeEvent(type)).label);

  for (const label of labels) expect(label).toMatch(/^[A-Z][A-Za-z]+( [A-Za-z]+)+$/);
  expect(new Set(labels).size).toBe(EVENT_TYPE_NAMES.length);
});

test.each(EVENT_TYPE_NAMES)('summarizes %s in one line, with or without a payload', type => {
  const namedPayload = { name: 'n', id: 7, type: 't', value: 'v' };
  for (const rest of [
    {},
    { ...FLAG_IN_PRODUCTION, data: namedPayload, preData: { ...namedPayload, name: 'm' } },
  ]) {
    const summary = summarize(type, rest);

    expect(summary).toMatch(/^\*\*alice\*\* [a-z]+ \S.*[a-zA-Z*]$/);
    expect(stripEscapes(summary)).toMatch(/^[\w ,:]+$/);
    expect(summary).not.toMatch(/undefined|null|NaN| {2}/);
  }
});

test('a slot appears only within brackets, where it can be omitted', () => {
  for (const { text } of Object.values(EVENT_TYPES)) {
    expect(text.replace(/\[[^[\]]*\]/g, '')).toMatch(/^[A-Za-z ]+$/);
  }
});

const TYPICAL: [string, Partial<DescribedEvent>, string][] = [
  [
    'feature-created',
    { ...FLAG, data: { name: 'checkout' } },
    'created flag **checkout** in project **default**',
  ],
  [
    'feature-created',
    { ...FLAG, data: { name: 'checkout', clonedFrom: { project: 'shop', feature: 'basket' } } },
    'created flag **checkout** in project **default** as a copy of flag **basket** in project **shop**',
  ],
  ['feature-deleted', FLAG, 'deleted flag **checkout** from project **default**'],
  [
    'feature-metadata-updated',
    {
      ...FLAG,
      data: { type: 'release', description: 'new', stale: false },
      preData: { type: 'release', description: 'old', stale: false },
    },
    'updated the details of flag **checkout** in project **default**, changing **description**',
  ],
  [
    'feature-environment-variants-updated',
    {
      ...FLAG_IN_PRODUCTION,
      data: { variants: [{ name: 'blue' }, { name: 'red' }] },
      preData: { variants: [] },
    },
    'updated the variants of flag **checkout** in environment **production** of project **default**, now: **blue** and **red**',
  ],
  [
    'feature-link-updated',
    {
      ...FLAG,
      data: { id: '1', url: 'https://example.com/2', title: 'The ticket' },
      preData: { id: '1', url: 'https://example.com/1', title: 'The ticket' },
    },
    'updated link **The ticket** of flag **checkout** in project **default**, changing **url**',
  ],
  [
    'feature-link-added',
    { ...FLAG, data: { id: '1', url: 'https://example.com', title: null } },
    'added a link to flag **checkout** in project **default**',
  ],
  [
    'feature-project-change',
    { ...FLAG, data: { oldProject: 'shop', newProject: 'default' } },
    'moved flag **checkout** from project **shop** to project **default**',
  ],
  [
    'feature-tagged',
    { ...FLAG, data: { type: 'simple', value: 'beta' } },
    'added tag **simple:beta** to flag **checkout** in project **default**',
  ],
  [
    'feature-untagged',
    { ...FLAG, preData: { type: 'simple', value: 'beta' } },
    'removed tag **simple:beta** from flag **checkout** in project **default**',
  ],
  [
    'feature-strategy-add',
    { ...FLAG_IN_PRODUCTION, data: { id: 'x', name: 'flexibleRollout' } },
    'added strategy **flexibleRollout** to flag **checkout** in environment **production** of project **default**',
  ],
  [
    'feature-strategy-update',
    {
      ...FLAG_IN_PRODUCTION,
      data: { name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'random' }, disabled: false },
      preData: {
        name: 'flexibleRollout',
        parameters: { stickiness: 'random', rollout: '5' },
        disabled: false,
      },
    },
    'updated strategy **flexibleRollout** of flag **checkout** in environment **production** of project **default**, changing **rollout 5 % → 50 %**',
  ],
  [
    'feature-strategy-remove',
    { ...FLAG_IN_PRODUCTION, preData: { name: 'default' } },
    'removed strategy **default** from flag **checkout** in environment **production** of project **default**',
  ],
  [
    'strategy-order-changed',
    { ...FLAG_IN_PRODUCTION, data: { strategyIds: ['c', 'a', 'b', 'd', 'e'] } },
    'reordered the strategies of flag **checkout** in environment **production** of project **default**, now: **c**, **a**, **b** and 2 more',
  ],
  [
    'feature-type-updated',
    {
      data: { id: 'release', name: 'Release', lifetimeDays: 60 },
      preData: { id: 'release', lifetimeDays: 40 },
    },
    'changed the lifetime of flag type **Release** to **60** days',
  ],
  [
    'feature-completed',
    { ...FLAG, data: { status: 'kept', statusValue: 'blue' } },
    'marked flag **checkout** in project **default** as completed, outcome: **kept**, variant: **blue**',
  ],
  ['feature-stale-on', FLAG, 'marked flag **checkout** in project **default** as stale'],
  [
    'feature-environment-enabled',
    FLAG_IN_PRODUCTION,
    'enabled flag **checkout** in environment **production** of project **default**',
  ],
  [
    'feature-dependency-added',
    { ...FLAG, data: { feature: 'basket', enabled: true } },
    'made flag **checkout** depend on flag **basket** in project **default**',
  ],
  [
    'feature-dependency-removed',
    { ...FLAG, data: { feature: 'basket' } },
    'removed the dependency of flag **checkout** on flag **basket** in project **default**',
  ],
  [
    'feature-favorited',
    { featureName: 'checkout', data: { feature: 'checkout' } },
    'added flag **checkout** to the favorites',
  ],
  ['strategy-created', { data: { name: 'byCountry' } }, 'created strategy type **byCountry**'],
  [
    'context-field-updated',
    { data: { name: 'tier', stickiness: true, sortOrder: 1 }, preData: { name: 'tier', sortOrder: 2 } },
    'updated context field **tier**, changing **order** and **stickiness**',
  ],
  [
    'project-access-added',
    {
      project: 'shop',
      data: {
        roles: [
          { roleId: 4, userIds: [7, 8], groupIds: [2] },
          { roleId: 5, userIds: [7] },
        ],
      },
    },
    'granted access to project **shop**, users: **7** and **8**, groups: **2**, roles: **Owner** and **Member**',
  ],
  [
    'project-access-user-roles-updated',
    { project: 'shop', data: { roles: [4, 101], userId: 7 }, preData: { roles: [4], userId: 7 } },
    'changed the roles of user **7** in project **shop** from **Owner** to **Owner** and **101**',
  ],
  [
    'project-access-user-roles-updated',
    {
      project: 'shop',
      data: { roles: [4, 101], userId: 7, names: { users: { 7: 'ada' }, roles: { 101: 'Releases' } } },
      preData: { roles: [102], userId: 7, names: { users: { 7: 'ada' }, roles: { 102: 'Reviews' } } },
    },
    'changed the roles of user **ada** in project **shop** from **Reviews** to **Owner** and **Releases**',
  ],
  [
    'project-access-added',
    {
      project: 'shop',
      data: {
        roles: [{ roleId: 101, userIds: [7, 8], groupIds: [2] }],
        names: { users: { 7: 'ada' }, groups: { 2: 'Checkout' }, roles: { 101: 'Releases' } },
      },
    },
    'granted access to project **shop**, users: **ada** and **8**, groups: **Checkout**, roles: **Releases**',
  ],
  [
    'project-access-user-roles-deleted',
    { project: 'shop', preData: { roles: [{ id: 4 }], groupId: 2 } },
    'removed the roles of group **2** in project **shop**, roles: **Owner**',
  ],
  [
    'project-user-role-changed',
    { project: 'shop', data: { userId: 7, roleId: 5 }, preData: { userId: 7, roleId: 4 } },
    'changed the role of user **7** in project **shop** from **Owner** to **Member**',
  ],
  ['role-deleted', { preData: { id: 9, name: 'Auditor' } }, 'deleted role **Auditor**'],
  ['tag-created', { data: { type: 'simple', value: 'beta' } }, 'created tag **simple:beta**'],
  [
    'addon-config-updated',
    {
      data: { id: 3, provider: 'webhook', description: 'Ops', enabled: false },
      preData: { id: 3, provider: 'webhook', description: 'Ops', enabled: true },
    },
    'updated **webhook** integration **Ops**, changing **enabled**',
  ],
  [
    'addon-config-deleted',
    { preData: { id: 3, provider: 'webhook' } },
    'deleted **webhook** integration **3**',
  ],
  ['user-created', { data: { id: 7, username: 'bob', email: 'b@x.org' } }, 'created user **bob**'],
  [
    'segment-created',
    { project: 'shop', data: { id: 1, name: 'Beta' } },
    'created segment **Beta** in project **shop**',
  ],
  ['group-user-added', { data: { groupId: 2, userId: 7 } }, 'added user **7** to group **2**'],
  ['setting-updated', { data: { id: 'cors' } }, 'changed setting **cors**'],
  ['pat-created', { data: { id: 1, description: 'laptop' } }, 'created personal access token **laptop**'],
  [
    'api-token-created',
    { project: 'shop', environment: 'production', data: { tokenName: 'backend' } },
    'created API token **backend** in environment **production** of project **shop**',
  ],
  [
    'change-added',
    { ...FLAG_IN_PRODUCTION, data: { id: 5, changeRequestId: 12, action: 'updateEnabled' } },
    'added change **updateEnabled** of flag **checkout** to change request **12** in environment **production** of project **default**',
  ],
  [
    'project-environment-added',
    { project: 'shop', environment: 'production' },
    'added environment **production** to project **shop**',
  ],
  [
    'user-preference-updated',
    { data: { subscription: 'digest', action: 'unsubscribed' } },
    'changed a personal preference, **digest**: **unsubscribed**',
  ],
  [
    'integration-redelivered',
    { data: { id: 3, deliveries: 1 } },
    'redelivered **1** event of integration **3**',
  ],
  [
    'integration-backfilled',
    { data: { id: 3, deliveries: 2 } },
    'sent **2** earlier events to integration **3**',
  ],
  ['user-sessions-ended', { data: { id: 4, sessions: 1 } }, 'ended **1** session of user **4**'],
  [
    'user-deactivated',
    { data: { id: 4, username: 'dora', sessions: 1, tokens: 0 } },
    'deactivated user **dora**',
  ],
  ['user-reactivated', { data: { id: 4, username: 'dora' } }, 'reactivated user **dora**'],
];

test.each(TYPICAL)('summarizes %s with %j', (type, rest, expected) => {
  expect(summarize(type, rest)).toBe(`**alice** ${expected}`);
});

test.each([
  ['2026-12-01T00:00:00.000Z', '1 Dec 2026'],
  ['soon', 'soon'],
])('the summary of a snoozed finding has its rule in words and the time %s as %s', (until, day) => {
  const data = { rule: 'past-lifetime', feature: 'checkout', until };

  expect(describe(makeEvent('health-finding-snoozed', { ...FLAG, data })).summary).toBe(
    `**alice** snoozed the finding **past lifetime** of flag **checkout** in project **default** until **${day}**`,
  );
});

test('an update names fields in words', () => {
  const summarizeChange = (type: string, field: string) =>
    summarize(type, { data: { [field]: 1 }, preData: { [field]: 2 } });

  expect(summarizeChange('project-updated', 'requireComment')).toMatch(/, changing \*\*required reason\*\*$/);
  expect(summarizeChange('api-token-updated', 'expiresAt')).toMatch(/, changing \*\*expiry\*\*$/);
  expect(summarizeChange('feature-strategy-update', 'sortOrder')).toMatch(/, changing \*\*order\*\*$/);
  expect(summarizeChange('project-updated', 'constructor')).toMatch(/, changing \*\*constructor\*\*$/);
});

test('an update that changed more than three fields names three of them', () => {
  const data = { a: 1, b: [1], c: { d: 1 }, e: null, same: { x: [1, { y: 2 }] } };
  const preData = { a: 2, b: [], c: { d: 2 }, e: false, same: { x: [1, { y: 2 }] } };

  const summary = summarize('project-updated', { project: 'shop', data, preData });

  expect(summary).toBe('**alice** updated project **shop**, changing **a**, **b**, **c** and 1 more');
});

test.each([
  [{ rollout: '10' }, { rollout: '50' }, '**rollout 10 % → 50 %**'],
  [{ rollout: 'a*' }, { rollout: '50' }, '**rollout a\\* → 50 %**'],
  [{}, { rollout: '0' }, '**rollout none → 0 %**'],
  [
    { rollout: '1', stickiness: 'default', groupId: 'a' },
    { rollout: '1', stickiness: 'userId', groupId: 'b' },
    '**stickiness default → userId** and **groupId a → b**',
  ],
  [{ groupId: 'g'.repeat(99) }, {}, `**groupId ${'g'.repeat(29)}… → none**`],
  [{ rollout: '1', extra: 'a' }, { rollout: '2' }, '**rollout 1 % → 2 %** and **other parameters**'],
  [{ userIds: 'a' }, { userIds: 'b' }, '**parameters**'],
  [{ rollout: '1' }, { rollout: { deep: true } }, '**parameters**'],
  [{ rollout: '1' }, 'text', '**parameters**'],
])('the summary of a parameter change from %j to %j contains %s', (before, after, expected) => {
  const event = { data: { name: 'x', parameters: after }, preData: { name: 'x', parameters: before } };

  const summary = summarize('feature-strategy-update', event);

  expect(summary).toBe(`**alice** updated strategy **x** of a flag, changing ${expected}`);
});

test('the values of integration parameters are not shown', () => {
  const event = {
    data: { id: 1, parameters: { rollout: 'a' } },
    preData: { id: 1, parameters: { rollout: 'b' } },
  };

  expect(summarize('addon-config-updated', event)).toMatch(/, changing \*\*parameters\*\*$/);
});

test('a field counts as changed if an object becomes a list, or if the keys differ', () => {
  const data = JSON.parse('{"list": [], "lacks": {"__proto__": {}}, "same": {"a": 1, "b": 2}}');
  const preData = { list: {}, lacks: { other: {} }, same: { b: 2, a: 1 } };

  const summary = summarize('project-updated', { project: 'shop', data, preData });

  expect(summary).toBe('**alice** updated project **shop**, changing **list** and **lacks**');
});

test('trims a name, because asterisks next to whitespace do not make text bold', () => {
  expect(summarize('strategy-created', { data: { name: '\u0000 x \u0000' } })).toBe(
    '**alice** created strategy type **x**',
  );
});

test('uses an unknown type as its label, with a neutral summary', () => {
  const { label, summary } = describe(makeEvent('flag-painted', { ...FLAG, data: { name: 'red' } }));

  expect(label).toBe('flag-painted');
  expect(summary).toBe(
    '**alice** caused an event of type **flag-painted** for flag **checkout** in project **default**',
  );
});

test.each(['constructor', '__proto__', 'toString', ''])('the type %j is unknown', type => {
  expect(describe(makeEvent(type)).label).toBe(type);
  expect(describe(makeEvent(type)).summary).toMatch(/^\*\*alice\*\* caused an event of type /);
});

test('a secret in the payload of a token is not disclosed', () => {
  const data = { name: 'team', secret: 'c0ffee', url: 'https://flags/c0ffee', token: 'c0ffee' };

  expect(summarize('public-signup-token-created', { data })).toBe('**alice** created signup link **team**');
});

test.each([
  ['an object in place of a name', { name: { deep: true } }],
  ['a list of objects without names', { name: [{}, [], null] }],
  ['an empty name', { name: '' }],
  ['a name of whitespace and control characters', { name: ' \u0000\u202E\n ' }],
  ['NaN in place of a name', { name: Number.NaN }],
  ['an inherited name', Object.create({ name: 'inherited' })],
  ['a string in place of the payload', 'name'],
  ['a list in place of the payload', [{ name: 'x' }]],
])('%s is ignored', (_, data) => {
  expect(summarize('strategy-created', { data })).toBe('**alice** created a strategy type');
});

test('says that an admin token caused the event if the event has only the name of the token', () => {
  const summarizeByToken = (createdBy: string) =>
    describe({
      type: 'project-archived',
      createdBy,
      createdByUserId: -42,
      project: 'shop',
      environment: null,
      featureName: null,
      data: null,
      preData: null,
    }).summary;

  expect(summarizeByToken('admin')).toBe('**admin token admin** archived project **shop**');
  expect(summarizeByToken('admin token admin')).toBe(summarizeByToken('admin'));
});

test('an actor without a name is called "someone"', () => {
  expect(summarize('drop-tags', { createdBy: '' })).toBe('Someone deleted all tags');
});

test('a long value is truncated to a hundred characters, without splitting a character', () => {
  const summary = summarize('strategy-created', {
    data: { name: `${'x'.repeat(98)}😀${'y'.repeat(1_000)}` },
  });

  expect(summary).toBe(`**alice** created strategy type **${'x'.repeat(98)}…**`);
});

test('summarizes a payload nested thousands of levels deep', () => {
  const nest = (core: string) => JSON.parse(`{"a":${'['.repeat(5_000)}${core}${']'.repeat(5_000)}}`);

  const summary = summarize('project-updated', { project: 'shop', data: nest('1'), preData: nest('2') });

  expect(summary).toBe('**alice** updated project **shop**, changing **a**');
});

test('a value is never parsed as a template', () => {
  const data = { name: '[x|{id}]', id: 'secret' };

  expect(summarize('strategy-created', { data })).toBe('**alice** created strategy type **\\[x\\|{id}\\]**');
});

test('describes any event as one line of text and bold text, without throwing', () => {
  const hostile = fc.oneof(
    fc.constantFrom(
      '[x](https://evil.example)',
      '![x](//evil.example/a.png)',
      '<img src=x onerror=alert(1)>',
      '<!channel> @everyone',
      'https://evil.example www.evil.example',
      '**a** `b` ~~c~~ _d_ # e',
      'a\r\n\u2028\u0085b\u202E\u0000\u001B[31m',
      '\\',
      '{name} [x|y]',
      '&lt;b&gt;',
      '\uD800',
    ),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string(),
  );
  const value = fc.oneof(hostile, fc.array(hostile), fc.dictionary(hostile, hostile), fc.jsonValue());
  // Payloads use the fields of the templates, so that the generated values appear in the summaries.
  const slots = Object.values(EVENT_TYPES).flatMap(({ text }) => text.match(/\w+(?=\})/g) ?? []);
  const fields = Object.fromEntries([...slots, 'type', 'value', 'clonedFrom'].map(slot => [slot, value]));
  const payload = fc.oneof(
    fc.record(fields, { requiredKeys: [] }),
    fc.dictionary(hostile, value),
    fc.jsonValue({ stringUnit: 'binary' }),
  );
  const event = fc.record({
    type: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom<string>(...EVENT_TYPE_NAMES) },
      { weight: 1, arbitrary: hostile },
    ),
    createdBy: hostile,
    project: fc.option(hostile),
    environment: fc.option(hostile),
    featureName: fc.option(hostile),
    data: payload,
    preData: payload,
  });

  fc.assert(
    fc.property(event, generatedEvent => {
      const { summary } = describe(generatedEvent);

      expect(summary).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u);
      expect(stripEscapes(summary)).not.toMatch(/[`*[\]<~|]|&#?[a-z0-9]+;/i);
      expect(summary).not.toMatch(/@(?!\u200D)|\/\/|www\\?\.|\[object/i);
      expect(summary.length).toBeLessThan(4_000);
    }),
    { numRuns: campaignSize({ usual: 300, long: 30_000 }) },
  );
});

/** Renders the parts as Markdown, like a page that knows nothing about event types. */
const toMarkdown = (parts: EventPart[]): string =>
  parts.map(({ text, strong }) => (strong ? `**${escapeMarkdown(text)}**` : text)).join('');

test.each(EVENT_TYPE_NAMES)('the parts of %s add up to its summary, with and without a payload', type => {
  const namedPayload = {
    name: 'a *name*',
    id: 7,
    type: 't',
    value: 'v',
    userId: 8,
    groupId: 9,
    username: 'bob',
  };
  for (const rest of [
    {},
    { ...FLAG_IN_PRODUCTION, data: namedPayload, preData: { ...namedPayload, name: 'm' } },
  ]) {
    const { summary, parts, label } = describeInParts(makeEvent(type, rest));

    expect({ summary, label }).toEqual(describe(makeEvent(type, rest)));
    expect(toMarkdown(parts)).toBe(summary);
    expect(parts.every(({ text }) => text !== '')).toBe(true);
    for (const { ref } of parts) if (ref) expect(REFERENCE_KINDS).toContain(ref.kind);
    const short = parts.filter(({ place }) => !place).map(({ text }) => text);
    expect(short.join('')).toMatch(/^alice [a-z]+ ?\S.*[^ ]$/);
    expect(short.join('')).not.toMatch(/ {2}/);
  }
});

test('reducing a string to one line a second time changes nothing', () => {
  expect(toOneLine('a \u0001 b\u0001c\n')).toBe('a bc');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => toOneLine(toOneLine(text)) === toOneLine(text)),
  );
});

test('the parts add up to the summary for any payload', () => {
  const event = fc.record({
    type: fc.constantFrom(...EVENT_TYPE_NAMES, 'unknown'),
    createdBy: fc.string({ unit: 'binary' }),
    createdByUserId: fc.option(fc.integer()),
    createdByKind: fc.constantFrom(null, 'user', 'service-account', 'admin-token', 'system'),
    project: fc.option(fc.string()),
    environment: fc.option(fc.string()),
    featureName: fc.option(fc.string({ unit: 'binary' })),
    data: fc.jsonValue(),
    preData: fc.jsonValue(),
  });
  fc.assert(
    fc.property(event, generatedEvent => {
      const { summary, parts } = describeInParts(generatedEvent);

      expect(summary).toBe(describe(generatedEvent).summary);
      expect(toMarkdown(parts)).toBe(summary);
    }),
  );
});

const ALICE = { createdByUserId: 7, createdByKind: 'user' };

test('the parts of a sentence have references for links, and mark where the event happened', () => {
  const event = makeEvent('feature-strategy-add', {
    ...FLAG_IN_PRODUCTION,
    ...ALICE,
    data: { id: 'x', name: 'flexibleRollout' },
  });

  expect(describeInParts(event).parts).toEqual([
    { text: 'alice', strong: true, ref: { kind: 'user', id: '7' } },
    { text: ' added strategy ' },
    { text: 'flexibleRollout', strong: true, ref: { kind: 'strategy', id: 'flexibleRollout' } },
    { text: ' to flag ' },
    { text: 'checkout', strong: true, ref: { kind: 'feature', id: 'checkout', project: 'default' } },
    { text: ' in environment ', place: true },
    { text: 'production', strong: true, place: true, ref: { kind: 'environment', id: 'production' } },
    { text: ' of project ', place: true },
    { text: 'default', strong: true, place: true, ref: { kind: 'project', id: 'default' } },
  ]);
});

const REFERENCES: [string, Partial<DescribedEvent>, Reference[]][] = [
  [
    'feature-created',
    { ...FLAG, data: { clonedFrom: { project: 'shop', feature: 'basket' } } },
    [
      { kind: 'feature', id: 'checkout', project: 'default' },
      { kind: 'project', id: 'default' },
      { kind: 'feature', id: 'basket', project: 'shop' },
      { kind: 'project', id: 'shop' },
    ],
  ],
  ['segment-updated', { data: { id: 3, name: 'EU' } }, [{ kind: 'segment', id: '3' }]],
  [
    'segment-updated',
    { project: 'shop', data: { id: 3, name: 'EU' } },
    [
      { kind: 'segment', id: '3', project: 'shop' },
      { kind: 'project', id: 'shop' },
    ],
  ],
  ['user-updated', { data: { id: 5, username: 'bob' } }, [{ kind: 'user', id: '5' }]],
  [
    'group-user-added',
    { data: { groupId: 2, groupName: 'Team', userId: 5 } },
    [
      { kind: 'user', id: '5' },
      { kind: 'group', id: '2' },
    ],
  ],
  [
    'project-access-added',
    { project: 'shop', data: { roles: [{ roleId: 4, userIds: [7, 8], groupIds: [2] }] } },
    [
      { kind: 'project', id: 'shop' },
      { kind: 'user', id: '7' },
      { kind: 'user', id: '8' },
      { kind: 'group', id: '2' },
    ],
  ],
  [
    'addon-config-updated',
    { data: { id: 4, provider: 'webhook', description: 'Ops' } },
    [{ kind: 'integration', id: '4' }],
  ],
  [
    'feature-tagged',
    { ...FLAG, data: { type: 'simple', value: 'beta' } },
    [
      { kind: 'tag', id: 'simple:beta' },
      { kind: 'feature', id: 'checkout', project: 'default' },
      { kind: 'project', id: 'default' },
    ],
  ],
  // In this payload, `id` is the id of the token, not of the service account.
  [
    'service-account-token-created',
    { data: { id: 1, description: 'ci', userId: 6, username: 'deployer' } },
    [{ kind: 'service-account', id: '6' }],
  ],
  ['segment-deleted', { preData: { name: 'a segment without an id' } }, []],
  ['role-updated', { data: { id: 'x'.repeat(201), name: 'Auditor' } }, []],
];

test.each(REFERENCES)('the parts of %s with %j refer to %j', (type, rest, expected) => {
  const { parts } = describeInParts(makeEvent(type, rest));

  expect(parts.flatMap(({ ref }) => ref ?? [])).toEqual(expected);
});

test('a part refers to the full name that the sentence truncates', () => {
  const name = 'x'.repeat(150);

  const { parts } = describeInParts(makeEvent('feature-archived', { featureName: name }));

  const flag = parts.find(({ ref }) => ref?.kind === 'feature');
  expect(flag?.ref?.id).toBe(name);
  expect(flag?.text.length).toBeLessThan(120);
});

test('an admin token and the server itself are not references', () => {
  for (const createdByKind of ['admin-token', 'system', null]) {
    const { parts } = describeInParts(makeEvent('feature-archived', { createdByUserId: -42, createdByKind }));
    expect(parts[0]).toEqual({ text: 'admin token alice', strong: true });
  }
});
