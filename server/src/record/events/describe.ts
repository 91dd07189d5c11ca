import { ellipsize } from '@halyard/plane/platform/text.ts';
import { PROJECT_ROLES, ROOT_ROLES } from '../../access/roles.ts';
import { ADMIN_TOKEN_USER_ID, adminTokenName } from '../../platform/actor.ts';
import { EVENT_TYPES } from './event-types.ts';
import { escapeLine, escapeMarkdown, toOneLine } from './markdown.ts';
import { describeChangedFields, describeStrategyChanges, readOwn, readPayload } from './payload.ts';
import { buildActorReference, buildReference, type Reference } from './references.ts';
import { type Option, type Options, parseTemplate, type Slot } from './template.ts';

export type DescribedEvent = {
  type: string;
  createdBy: string;
  createdByUserId?: number | null;
  createdByKind?: string | null;
  createdByToken?: { name: string } | null;
  project: string | null;
  environment: string | null;
  featureName: string | null;
  data: unknown;
  preData: unknown;
};

/**
 * A part of the sentence that says what happened. Names and other values are `strong`. Parts with `place` say where it happened,
 * and the sentence is complete without them.
 */
export type EventPart = { text: string; strong?: true; place?: true; ref?: Reference };

const MAX_VALUE_LENGTH = 100;
const MAX_LISTED = 3;

const UNKNOWN_TYPE =
  'caused an event of type [{eventType}|unknown][ for flag {feature:flag}][@ in project {project:project}]';

// The slots whose value is not simply the payload field of the same name.
const SLOTS: Record<string, (event: DescribedEvent) => unknown> = {
  eventType: event => event.type,
  flag: event => event.featureName,
  project: event => event.project ?? readPayload(event, ['project']),
  environment: event => event.environment ?? readPayload(event, ['environment']),
  tag: event => readTag(event.data) ?? readTag(event.preData),
  changes: describeChangedFields,
  strategyChanges: describeStrategyChanges,
  onlyDelivery: event => onlyOne(event, 'deliveries'),
  onlySession: event => onlyOne(event, 'sessions'),
  findingRule: event => unhyphenate(readPayload(event, ['rule'])),
  untilDay: event => formatDay(readPayload(event, ['until'])),
  grantedUsers: event => listGrantees(event, 'userIds', 'users'),
  grantedGroups: event => listGrantees(event, 'groupIds', 'groups'),
  userId: event => findNameFor(event, 'users', readPayload(event, ['userId'])),
  groupId: event => findNameFor(event, 'groups', readPayload(event, ['groupId'])),
  ...Object.fromEntries(
    ['roles', 'before.roles', 'after.roles', 'roleId', 'before.roleId', 'after.roleId'].map(name => [
      name,
      (event: DescribedEvent) => addRoleNames(event, readPayload(event, name.split('.'))),
    ]),
  ),
};

/** Describes what happened, as a label and as one line of Markdown. Accepts any payload and never throws. */
export function describe(event: DescribedEvent): { label: string; summary: string } {
  const { label, text } = getTypeText(event);
  return { label, summary: toMarkdown(compose(text, event, false)) };
}

/** Like `describe`, but for messages: the summary ends with the comment of the change. */
export function describeWithComment(event: DescribedEvent & { comment?: string }): {
  label: string;
  summary: string;
} {
  const { label, summary } = describe(event);
  return { label, summary: event.comment ? `${summary}: “${escapeMarkdown(event.comment)}”` : summary };
}

/** Like `describe`, but with the parts of the sentence. The summary is these parts in Markdown. */
export function describeInParts(event: DescribedEvent): {
  label: string;
  summary: string;
  parts: EventPart[];
} {
  const { label, text } = getTypeText(event);
  const parts = compose(text, event, true);
  return { label, summary: toMarkdown(parts), parts };
}

function getTypeText({ type }: DescribedEvent): { label: string; text: string } {
  const types: Record<string, { label: string; text: string }> = EVENT_TYPES;
  const knownType = Object.hasOwn(types, type) ? types[type] : undefined;
  return knownType ?? { label: type, text: UNKNOWN_TYPE };
}

function toMarkdown(parts: EventPart[]): string {
  let line = '';
  for (const { text, strong } of parts) line += strong ? `**${escapeLine(text)}**` : text;
  return line;
}

/** A sentence that is being composed. Building references takes time, so only callers that get the parts pay for it. */
type Sentence = { event: DescribedEvent; parts: EventPart[]; withReferences: boolean; isLocation: boolean };

function compose(template: string, event: DescribedEvent, withReferences: boolean): EventPart[] {
  const sentence: Sentence = { event, parts: [], withReferences, isLocation: false };
  const actor = toPlainText(getActorName(event));
  const agent = event.createdByKind === 'agent' ? toPlainText(event.createdByToken?.name) : undefined;
  if (agent !== undefined) {
    addText(sentence, 'Agent ');
    addStrong(sentence, agent);
    addText(sentence, ' for ');
  }
  if (actor === undefined) addText(sentence, agent === undefined ? 'Someone' : 'someone');
  else addStrong(sentence, actor, withReferences ? buildActorReference(event) : undefined);
  addText(sentence, ' ');
  for (const piece of parseTemplate(template)) {
    if (typeof piece === 'string') addText(sentence, piece);
    else addFirstFilled(sentence, piece);
  }
  return sentence.parts;
}

/** Returns the name of the actor. Older events have only the bare name of the admin token, which could be mistaken for a user. */
const getActorName = ({ createdBy, createdByUserId }: DescribedEvent): string =>
  createdByUserId === ADMIN_TOKEN_USER_ID ? adminTokenName(createdBy) : createdBy;

function addText({ parts, isLocation }: Sentence, text: string): void {
  if (text === '') return;
  const lastPart = parts.at(-1);
  if (lastPart && !lastPart.strong && (lastPart.place ?? false) === isLocation) lastPart.text += text;
  else parts.push(isLocation ? { text, place: true } : { text });
}

function addStrong({ parts, isLocation }: Sentence, text: string, ref?: Reference): void {
  const part: EventPart = { text, strong: true };
  if (isLocation) part.place = true;
  if (ref) part.ref = ref;
  parts.push(part);
}

function addFirstFilled(sentence: Sentence, { isLocation, options }: Options): void {
  for (const option of options) {
    const values = findValues(sentence.event, option);
    if (!values) continue;
    sentence.isLocation = isLocation;
    addOption(sentence, option, values);
    sentence.isLocation = false;
    return;
  }
}

function addOption(sentence: Sentence, { texts, slots }: Option, values: ShownValue[]): void {
  addText(sentence, texts[0] ?? '');
  for (const [index, slot] of slots.entries()) {
    const value = values[index];
    if (value) addValue(sentence, slot, value);
    addText(sentence, texts[index + 1] ?? '');
  }
}

/** Adds one name or a shortened list, such as "a, b and c" or "a, b, c and 4 more". */
function addValue(sentence: Sentence, { reference }: Slot, { names, moreCount }: ShownValue): void {
  const { event, withReferences } = sentence;
  for (const [index, { text, value }] of names.entries()) {
    const isLast = index === names.length - 1 && moreCount === 0;
    if (index > 0) addText(sentence, isLast ? ' and ' : ', ');
    addStrong(
      sentence,
      text,
      withReferences && reference ? buildReference(event, reference, value) : undefined,
    );
  }
  if (moreCount > 0) addText(sentence, ` and ${moreCount} more`);
}

/** Returns the values that the slots of an option show, or undefined if the event lacks one of them. */
function findValues(event: DescribedEvent, { slots }: Option): ShownValue[] | undefined {
  const values: ShownValue[] = [];
  for (const { name, path } of slots) {
    const shownValue = showValue(SLOTS[name] ? SLOTS[name](event) : readPayload(event, path));
    if (shownValue === undefined) return undefined;
    values.push(shownValue);
  }
  return values;
}

type ShownValue = { names: { text: string; value: unknown }[]; moreCount: number };

/** Returns how to show a string, a number or a list of them, or undefined if there is nothing to show. */
function showValue(value: unknown): ShownValue | undefined {
  if (!Array.isArray(value)) {
    const text = toPlainText(value);
    return text === undefined ? undefined : { names: [{ text, value }], moreCount: 0 };
  }
  const names: ShownValue['names'] = [];
  for (const item of value) {
    const text = readName(item);
    if (text !== undefined) names.push({ text, value: item });
  }
  if (names.length === 0) return undefined;
  return { names: names.slice(0, MAX_LISTED), moreCount: Math.max(0, names.length - MAX_LISTED) };
}

function readName(item: unknown): string | undefined {
  return toPlainText(readOwn(item, 'name') ?? readOwn(item, 'roleId') ?? readOwn(item, 'id') ?? item);
}

function toPlainText(value: unknown): string | undefined {
  if (Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return undefined;
  // The value is trimmed, because Markdown text is not bold if its asterisks are next to a space.
  return toOneLine(ellipsize(value.trim(), MAX_VALUE_LENGTH)) || undefined;
}

function readTag(payload: unknown): string | undefined {
  const type = readOwn(payload, 'type');
  const value = readOwn(payload, 'value');
  return typeof type === 'string' && typeof value === 'string' ? `${type}:${value}` : undefined;
}

/** Turns the id of a rule into words, so that past-lifetime becomes "past lifetime". */
const unhyphenate = (value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('-', ' ') : value;

const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Returns the day of a time in UTC, such as "1 Dec 2026". A value that is not a time is shown as it is. */
function formatDay(value: unknown): unknown {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? value : DAY.format(time);
}

/** Returns 1 if the field is 1, so that the sentence can use a singular noun. */
const onlyOne = (event: DescribedEvent, field: string): 1 | undefined =>
  readPayload(event, [field]) === 1 ? 1 : undefined;

const BUILT_IN_ROLES = new Map<unknown, string>(
  Object.entries({ ...ROOT_ROLES, ...PROJECT_ROLES }).map(([name, id]) => [id, name]),
);

/** Returns the name that the payload gives for an id, or the id itself, because older and imported events have no names. */
function findNameFor(event: DescribedEvent, kind: 'users' | 'groups' | 'roles', id: unknown): unknown {
  const name = Number.isSafeInteger(id) ? readPayload(event, ['names', kind, String(id)]) : undefined;
  return typeof name === 'string' ? name : id;
}

const addRoleNames = (event: DescribedEvent, value: unknown): unknown =>
  Array.isArray(value) ? value.map(role => addRoleName(event, role)) : addRoleName(event, value);

/** Adds the name of a role. Built-in roles have the same ids on every server, so the payload does not need to name them. */
function addRoleName(event: DescribedEvent, role: unknown): unknown {
  const id = readOwn(role, 'roleId') ?? readOwn(role, 'id') ?? role;
  return readOwn(role, 'name') ?? BUILT_IN_ROLES.get(id) ?? findNameFor(event, 'roles', id) ?? role;
}

/** Returns the users or groups in a grant of the form `{ roles: [{ roleId, userIds, groupIds }] }`. */
function listGrantees(
  event: DescribedEvent,
  field: 'userIds' | 'groupIds',
  kind: 'users' | 'groups',
): unknown[] {
  const roles = readOwn(event.data, 'roles');
  const ids = Array.isArray(roles) ? roles.flatMap(role => readOwn(role, field) ?? []) : [];
  return [...new Set(ids)].map(id => ({ id, name: findNameFor(event, kind, id) }));
}
