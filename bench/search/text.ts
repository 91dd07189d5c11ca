/** Made-up words, so that a search finds exactly the events that contain them. */
const WORDS = ['ba', 'co', 'du', 'fe', 'gi', 'ho', 'la', 'mi', 'no', 'pu'].flatMap(first =>
  ['bra', 'clo', 'dri', 'fle', 'gru', 'pla', 'ske', 'sto'].flatMap(second =>
    ['ben', 'dor', 'lin', 'mak', 'tus'].map(third => first + second + third),
  ),
);

/** Text that the search cases look for, by the share of events that contain it. */
export const TEXTS = {
  inNone: 'nowhere-to-be-found',
  inTen: 'needle-quasar',
  inThousand: 'lantern-quorum',
  inHundredth: 'amber-window',
  /** Every word is in about 5 % of the events. */
  word: 'bastoben',
  inNearlyAll: 'flexibleRollout',
  inAll: 'stickiness',
  sentence: 'rolled out to everyone',
  sentenceInTen: 'moved to the finance team',
  quotes: 'say "hello"',
  percentSign: '100%',
};

/** Random numbers from 0 to 1 for one event. */
export type Random = () => number;

const pick = (random: Random): string => WORDS[Math.floor(random() * WORDS.length)] ?? '';
const hex = (random: Random): string => ((random() * 2 ** 32) >>> 0).toString(16).padStart(8, '0');

export function uuid(random: Random): string {
  const [a, b, c, d] = [hex(random), hex(random), hex(random), hex(random)];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-a${c.slice(1, 4)}-${c.slice(4)}${d}`;
}

/** The sentences of an event that is number `n` of `events`. */
export function sentences(random: Random, n: number, events: number): string {
  let text = '';
  if (n % Math.floor(events / 10) === 7) text += ` ${TEXTS.inTen}`;
  if (n % Math.floor(events / 10) === 9) text += ` ${TEXTS.sentenceInTen}`;
  if (n % Math.floor(events / 1_000) === 11) text += ` ${TEXTS.inThousand}`;
  if (random() < 0.01) text += ` ${TEXTS.inHundredth}`;
  if (random() < 0.2) text += ` ${TEXTS.sentence}`;
  if (random() < 0.01) text += ` They ${TEXTS.quotes}.`;
  if (random() < 0.1) text += ` Now at ${TEXTS.percentSign} of users.`;
  if (random() < 0.3) text += ` Ticket HAL-${Math.floor(random() * 90_000) + 10_000}`;
  return text;
}

/** The state of a strategy as JSON, like `data` and `preData` of a real event. 8 and 6 words of 400. */
export function strategy(random: Random, one: { name: string; at: string; sentences: string }): string {
  const described = Array.from({ length: 8 }, () => pick(random)).join(' ');
  const values = Array.from({ length: 6 }, () => `"${pick(random)}"`).join(', ');
  return (
    `{"id": "${uuid(random)}", "name": "${one.name}", ` +
    `"strategyName": "${random() < 0.97 ? TEXTS.inNearlyAll : 'userWithId'}", ` +
    `"description": ${JSON.stringify(described + one.sentences)}, "createdAt": "${one.at}", ` +
    `"parameters": {"rollout": "${Math.floor(random() * 100)}", "stickiness": "default", "groupId": "${one.name}"}, ` +
    `"constraints": [{"contextName": "appVersion", "operator": "IN", "inverted": false, "caseInsensitive": false, ` +
    `"values": [${values}]}], ` +
    `"segments": [${Math.floor(random() * 40)}], "disabled": false, "sortOrder": ${Math.floor(random() * 10)}}`
  );
}
