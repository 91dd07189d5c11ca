import { ellipsize } from '../../../../plane/src/platform/text.ts';
import { PROJECT_ROLES, ROOT_ROLES } from '../../access/roles.ts';
import { ADMIN_TOKEN_USER_ID, nameOfAdminToken } from '../../platform/actor.ts';
import { EVENT_TYPES } from './event-types.ts';
import { asOneLine, escapeLine, escapeMarkdown } from './markdown.ts';
import { changedFields, changesOfStrategy, fromPayload, own } from './payload.ts';
import { type Reference, referenceTo, referenceToActor } from './references.ts';
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
 * A part of the sentence that says what happened. Values are bold. The parts with `place` say where it happened; the sentence is
 * complete without them.
 */
export type EventPart = { text: string; strong?: true; place?: true; ref?: Reference };

const MAX_VALUE_LENGTH = 100;
const MAX_LISTED = 3;

const UNKNOWN_TYPE =
  'caused an event of type [{eventType}|unknown][ for flag {feature:flag}][@ in project {project:project}]';

// Slots that are not simply the payload field of that name.
const SLOTS: Record<string, (event: DescribedEvent) => unknown> = {
  eventType: event => event.type,
  flag: event => event.featureName,
  project: event => event.project ?? fromPayload(event, ['project']),
  environment: event => event.environment ?? fromPayload(event, ['environment']),
  tag: event => tagOf(event.data) ?? tagOf(event.preData),
  changes: changedFields,
  strategyChanges: changesOfStrategy,
  onlyDelivery: event => onlyOne(event, 'deliveries'),
  onlySession: event => onlyOne(event, 'sessions'),
  findingRule: event => wordsOf(fromPayload(event, ['rule'])),
  untilDay: event => dayOf(fromPayload(event, ['until'])),
  grantedUsers: event => granted(event, 'userIds', 'users'),
  grantedGroups: event => granted(event, 'groupIds', 'groups'),
  userId: event => nameFor(event, 'users', fromPayload(event, ['userId'])),
  groupId: event => nameFor(event, 'groups', fromPayload(event, ['groupId'])),
  ...Object.fromEntries(
    ['roles', 'before.roles', 'after.roles', 'roleId', 'before.roleId', 'after.roleId'].map(name => [
      name,
      (event: DescribedEvent) => withRoleNames(event, fromPayload(event, name.split('.'))),
    ]),
  ),
};

/** Describes what happened, as a label and as one line of Markdown. Accepts any payload and never throws. */
export function describe(event: DescribedEvent): { label: string; summary: string } {
  const { label, text } = typeOf(event);
  return { label, summary: asMarkdown(compose(text, event, false)) };
}

/** The same for a message: the summary ends with the comment of the change. */
export function describeWithComment(event: DescribedEvent & { comment?: string }): {
  label: string;
  summary: string;
} {
  const { label, summary } = describe(event);
  return { label, summary: event.comment ? `${summary}: “${escapeMarkdown(event.comment)}”` : summary };
}

/** The same, with the parts of the sentence. The summary is the parts in Markdown. */
export function describeInParts(event: DescribedEvent): {
  label: string;
  summary: string;
  parts: EventPart[];
} {
  const { label, text } = typeOf(event);
  const parts = compose(text, event, true);
  return { label, summary: asMarkdown(parts), parts };
}

function typeOf({ type }: DescribedEvent): { label: string; text: string } {
  const types: Record<string, { label: string; text: string }> = EVENT_TYPES;
  const known = Object.hasOwn(types, type) ? types[type] : undefined;
  return known ?? { label: type, text: UNKNOWN_TYPE };
}

function asMarkdown(parts: EventPart[]): string {
  let line = '';
  for (const { text, strong } of parts) line += strong ? `**${escapeLine(text)}**` : text;
  return line;
}

/** A sentence under construction. References take time, and are computed only for callers that get the parts. */
type Sentence = { event: DescribedEvent; parts: EventPart[]; withReferences: boolean; isPlace: boolean };

function compose(template: string, event: DescribedEvent, withReferences: boolean): EventPart[] {
  const sentence: Sentence = { event, parts: [], withReferences, isPlace: false };
  const actor = plain(actorOf(event));
  const agent = event.createdByKind === 'agent' ? plain(event.createdByToken?.name) : undefined;
  if (agent !== undefined) {
    addText(sentence, 'Agent ');
    addStrong(sentence, agent);
    addText(sentence, ' for ');
  }
  if (actor === undefined) addText(sentence, agent === undefined ? 'Someone' : 'someone');
  else addStrong(sentence, actor, withReferences ? referenceToActor(event) : undefined);
  addText(sentence, ' ');
  for (const piece of parseTemplate(template)) {
    if (typeof piece === 'string') addText(sentence, piece);
    else addFirstFilled(sentence, piece);
  }
  return sentence.parts;
}

/** Older events have only the name of the token that acted, which can be the name of a user. */
const actorOf = ({ createdBy, createdByUserId }: DescribedEvent): string =>
  createdByUserId === ADMIN_TOKEN_USER_ID ? nameOfAdminToken(createdBy) : createdBy;

function addText({ parts, isPlace }: Sentence, text: string): void {
  if (text === '') return;
  const last = parts.at(-1);
  if (last && !last.strong && (last.place ?? false) === isPlace) last.text += text;
  else parts.push(isPlace ? { text, place: true } : { text });
}

function addStrong({ parts, isPlace }: Sentence, text: string, ref?: Reference): void {
  const part: EventPart = { text, strong: true };
  if (isPlace) part.place = true;
  if (ref) part.ref = ref;
  parts.push(part);
}

function addFirstFilled(sentence: Sentence, { isPlace, options }: Options): void {
  for (const option of options) {
    const values = valuesOf(sentence.event, option);
    if (!values) continue;
    sentence.isPlace = isPlace;
    addOption(sentence, option, values);
    sentence.isPlace = false;
    return;
  }
}

function addOption(sentence: Sentence, { texts, slots }: Option, values: Shown[]): void {
  addText(sentence, texts[0] ?? '');
  for (const [index, slot] of slots.entries()) {
    const value = values[index];
    if (value) addValue(sentence, slot, value);
    addText(sentence, texts[index + 1] ?? '');
  }
}

/** One name, or some of a list: "a, b and c", "a, b, c and 4 more". */
function addValue(sentence: Sentence, { reference }: Slot, { names, more }: Shown): void {
  const { event, withReferences } = sentence;
  for (const [index, { text, value }] of names.entries()) {
    const isLast = index === names.length - 1 && more === 0;
    if (index > 0) addText(sentence, isLast ? ' and ' : ', ');
    addStrong(sentence, text, withReferences && reference ? referenceTo(event, reference, value) : undefined);
  }
  if (more > 0) addText(sentence, ` and ${more} more`);
}

/** The values that the slots of an option show; undefined if the event lacks one of them. */
function valuesOf(event: DescribedEvent, { slots }: Option): Shown[] | undefined {
  const values: Shown[] = [];
  for (const { name, path } of slots) {
    const shown = shownOf(SLOTS[name] ? SLOTS[name](event) : fromPayload(event, path));
    if (shown === undefined) return undefined;
    values.push(shown);
  }
  return values;
}

type Shown = { names: { text: string; value: unknown }[]; more: number };

/** Shows a string, a number or a list of them; undefined if there is nothing to show. */
function shownOf(value: unknown): Shown | undefined {
  if (!Array.isArray(value)) {
    const text = plain(value);
    return text === undefined ? undefined : { names: [{ text, value }], more: 0 };
  }
  const names: Shown['names'] = [];
  for (const item of value) {
    const text = nameOf(item);
    if (text !== undefined) names.push({ text, value: item });
  }
  if (names.length === 0) return undefined;
  return { names: names.slice(0, MAX_LISTED), more: Math.max(0, names.length - MAX_LISTED) };
}

function nameOf(item: unknown): string | undefined {
  return plain(own(item, 'name') ?? own(item, 'roleId') ?? own(item, 'id') ?? item);
}

function plain(value: unknown): string | undefined {
  if (Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return undefined;
  // Stars next to a space would not be bold.
  return asOneLine(ellipsize(value.trim(), MAX_VALUE_LENGTH)) || undefined;
}

function tagOf(payload: unknown): string | undefined {
  const type = own(payload, 'type');
  const value = own(payload, 'value');
  return typeof type === 'string' && typeof value === 'string' ? `${type}:${value}` : undefined;
}

/** The id of a rule in words: past-lifetime becomes "past lifetime". */
const wordsOf = (value: unknown): unknown => (typeof value === 'string' ? value.replaceAll('-', ' ') : value);

const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** The day of a time in UTC: "1 Dec 2026". A value that is not a time is shown as it is. */
function dayOf(value: unknown): unknown {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? value : DAY.format(time);
}

/** The number 1, for a sentence with a singular noun. */
const onlyOne = (event: DescribedEvent, field: string): 1 | undefined =>
  fromPayload(event, [field]) === 1 ? 1 : undefined;

const BUILT_IN_ROLES = new Map<unknown, string>(
  Object.entries({ ...ROOT_ROLES, ...PROJECT_ROLES }).map(([name, id]) => [id, name]),
);

/** The name that the payload gives for an id, or the id itself: older events and imported ones have no names. */
function nameFor(event: DescribedEvent, kind: 'users' | 'groups' | 'roles', id: unknown): unknown {
  const name = Number.isSafeInteger(id) ? fromPayload(event, ['names', kind, String(id)]) : undefined;
  return typeof name === 'string' ? name : id;
}

const withRoleNames = (event: DescribedEvent, value: unknown): unknown =>
  Array.isArray(value) ? value.map(role => withRoleName(event, role)) : withRoleName(event, value);

/** Built-in roles have the same ids on every server, so their names are known without a name in the payload. */
function withRoleName(event: DescribedEvent, role: unknown): unknown {
  const id = own(role, 'roleId') ?? own(role, 'id') ?? role;
  return own(role, 'name') ?? BUILT_IN_ROLES.get(id) ?? nameFor(event, 'roles', id) ?? role;
}

/** The holders of a grant of the form `{ roles: [{ roleId, userIds, groupIds }] }`. */
function granted(event: DescribedEvent, field: 'userIds' | 'groupIds', kind: 'users' | 'groups'): unknown[] {
  const roles = own(event.data, 'roles');
  const ids = Array.isArray(roles) ? roles.flatMap(role => own(role, field) ?? []) : [];
  return [...new Set(ids)].map(id => ({ id, name: nameFor(event, kind, id) }));
}
