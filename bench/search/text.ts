/** The words are invented, so that no other part of an event contains them by chance. */
const WORDS = ['ba', 'co', 'du', 'fe', 'gi', 'ho', 'la', 'mi', 'no', 'pu'].flatMap(first =>
  ['bra', 'clo', 'dri', 'fle', 'gru', 'pla', 'ske', 'sto'].flatMap(second =>
    ['ben', 'dor', 'lin', 'mak', 'tus'].map(third => first + second + third),
  ),
);

/** The strings that the cases search for, by the share of events that contain them. */
export const TEXTS = {
  inNone: 'nowhere-to-be-found',
  inTen: 'needle-quasar',
  inThousand: 'lantern-quorum',
  inHundredth: 'amber-window',
  /** Every invented word is in about 5 % of the events. */
  word: 'bastoben',
  inNearlyAll: 'flexibleRollout',
  inAll: 'stickiness',
  sentence: 'rolled out to everyone',
  sentenceInTen: 'moved to the finance team',
  quotes: 'say "hello"',
  percentSign: '100%',
};

/** Returns a random number from 0 to 1. Each event has its own sequence. */
export type Random = () => number;

const pickWord = (random: Random): string => WORDS[Math.floor(random() * WORDS.length)] ?? '';
const randomHex = (random: Random): string => ((random() * 2 ** 32) >>> 0).toString(16).padStart(8, '0');

export function uuid(random: Random): string {
  const [a, b, c, d] = [randomHex(random), randomHex(random), randomHex(random), randomHex(random)];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-a${c.slice(1, 4)}-${c.slice(4)}${d}`;
}

/** Writes the sentences of event number `n` of `events`. */
export function makeSentences(random: Random, n: number, events: number): string {
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

/** Formats a strategy as JSON, like `data` and `preData` in a real event. Its description and values are drawn from 400 words. */
export function strategyJson(random: Random, state: { name: string; at: string; sentences: string }): string {
  const description = Array.from({ length: 8 }, () => pickWord(random)).join(' ');
  const values = Array.from({ length: 6 }, () => `"${pickWord(random)}"`).join(', ');
  return (
    `{"id": "${uuid(random)}", "name": "${state.name}", ` +
    `"strategyName": "${random() < 0.97 ? TEXTS.inNearlyAll : 'userWithId'}", ` +
    `"description": ${JSON.stringify(description + state.sentences)}, "createdAt": "${state.at}", ` +
    `"parameters": {"rollout": "${Math.floor(random() * 100)}", "stickiness": "default", "groupId": "${state.name}"}, ` +
    `"constraints": [{"contextName": "appVersion", "operator": "IN", "inverted": false, "caseInsensitive": false, ` +
    `"values": [${values}]}], ` +
    `"segments": [${Math.floor(random() * 40)}], "disabled": false, "sortOrder": ${Math.floor(random() * 10)}}`
  );
}
