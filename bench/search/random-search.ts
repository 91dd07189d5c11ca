import { PROFILES } from '../events/profiles.ts';
import { type Random, TEXTS } from '../events/text.ts';
import type { Search } from './plain.ts';

const PROFILE = PROFILES.skewed;

/** Texts of every kind: by number of hits, length, letters and punctuation. Random pieces of events are added to them. */
export const FIXED_TEXTS = [
  ...Object.values(TEXTS),
  ...['e', 'q', '"', '%', '_', '\\', ':', ' ', '7', 'st', 'qz', '": ', '", "', 'a3f', '00', '-4', 'É', 'İ'],
  ...[
    'BASTOBEN',
    'bastoben pustomak',
    'ben',
    'stoben',
    'HAL-',
    'hal-12345',
    '2025-03-12',
    '2025-03-12T1',
    'T10:',
  ],
  ...['project-1-feature', 'project-1-feature-1', 'project-25', 'feature-2"', '192.0.2', 'null', 'checkout'],
  ...[
    '"sortOrder": 3',
    '"type": "simple"',
    '[{"type"',
    '}], "',
    'of users. Ticket',
    'They say',
    'hello\\"',
    '100% of',
  ],
];

const pick = <T>(random: Random, values: readonly T[]): T =>
  values[Math.floor(random() * values.length)] as T;

/** A random combination of filters, dates, text and page. */
export function randomSearch(random: Random, events: number, texts: string[]): Search {
  const search: Search = {};
  const several = <T>(draw: () => T): T[] =>
    Array.from({ length: random() < 0.6 ? 1 : 2 + Math.floor(random() * 3) }, draw);
  const placed = <K extends 'project' | 'type' | 'environment' | 'feature'>(name: K) =>
    several(() => PROFILE.place(random, random())[name] ?? 'missing');
  if (random() < 0.3) search.project = random() < 0.2 ? [pick(random, PROFILE.projects)] : placed('project');
  if (random() < 0.3) search.type = random() < 0.2 ? [pick(random, PROFILE.types)] : placed('type');
  if (random() < 0.25) search.environment = placed('environment');
  if (random() < 0.1) search.feature = placed('feature');
  if (random() < 0.2) search.createdBy = several(() => PROFILE.place(random, 1).user);
  if (random() < 0.2) search.from = randomDay(random);
  if (random() < 0.2) search.to = randomDay(random);
  if (random() < 0.4) search.query = pick(random, texts);
  if (random() < 0.4) search.offset = Math.floor(random() ** 4 * events * 1.1);
  if (random() < 0.5) search.limit = pick(random, [1, 7, 50, 200, 1_000]);
  return search;
}

function randomDay(random: Random): string {
  // Beyond the loaded days too: the events of the writers are newer.
  const at = Date.parse(PROFILE.firstDay) + random() * (PROFILE.days + 30) * 86_400_000;
  return new Date(at).toISOString().slice(0, 10);
}
