/** A word or phrase that nothing we publish contains, and what to write instead. STYLE.md has the reasons. */
export type Word = { pattern: RegExp; instead: string };

/** The glossary of STYLE.md: one word per concept. */
const GLOSSARY: Word[] = [
  { pattern: /(?<!connection )\brefus(?:e|es|ed|ing|als?)\b/gi, instead: 'reject, rejection, error' },
  { pattern: /\banswer(?:s|ed|ing)?\b/gi, instead: 'response, respond' },
  { pattern: /\bmistakes?\b/gi, instead: 'validation error, invalid, bug' },
  { pattern: /(?<!kill-)\bswitch(?:es|ed|ing)?\b/gi, instead: 'enable, disable, toggle, change' },
  { pattern: /\bturn(?:s|ed|ing)? (?:\w+ )?(?:on|off)\b/gi, instead: 'enable, disable' },
  { pattern: /\brights\b/gi, instead: 'permissions, access' },
  { pattern: /\btried again\b/gi, instead: 'retried' },
  { pattern: /\bgiven up\b/gi, instead: 'exhausted' },
  { pattern: /\b(?:send|sends|sent|sending)(?: \w+)? again\b/gi, instead: 'redeliver, retry, replay' },
  { pattern: /\brests\b|\blets? (?:it |them )?rest\b/gi, instead: 'the circuit breaker opens' },
  { pattern: /\b(?:hold|holds|holding|held) up\b/gi, instead: 'block, delay' },
  { pattern: /\blets? (?:it |them )?pass\b/gi, instead: 'skip, accept' },
  { pattern: /\bput(?:s|ting)? off\b/gi, instead: 'snooze' },
  { pattern: /\btak(?:e|es|en|ing) up again\b/gi, instead: 'unsnooze' },
  { pattern: /\b(?:tak(?:e|es|en|ing)|took)(?: \w+)?(?: \w+)? away\b/gi, instead: 'remove, revoke, unmark' },
  { pattern: /\b(?:keep|keeps|kept|keeping) plans?\b|\basked often\b/gi, instead: 'prepared statement' },
  { pattern: /\bhorizons?\b|\bdecided up to\b/gi, instead: 'watermark' },
  { pattern: /\bfollowers?\b|\bfollow(?:s|ed|ing)? the log\b/gi, instead: 'tail the log, consumer' },
  { pattern: /\bbeforehand\b/gi, instead: 'dry run, preview, in advance' },
  { pattern: /\bblanks\b/gi, instead: 'whitespace, spaces' },
  { pattern: /\bwhatever (?:its|their|the) case\b/gi, instead: 'case-insensitive' },
  { pattern: /\bhow fast\b/gi, instead: 'throughput, latency' },
  { pattern: /\bpictures? of (?:the )?memory\b/gi, instead: 'heap snapshot, core dump' },
  { pattern: /\bexisting clients?\b|\brecorded system\b/gi, instead: 'Unleash, Unleash clients' },
];

/** Words that a native reader stops at. */
const CALQUES: Word[] = [
  { pattern: /\banew\b/gi, instead: 'again' },
  { pattern: /\bmend(?:s|ed|ing)?\b/gi, instead: 'fix, repair' },
  { pattern: /\b(?:tell|tells|told|telling) of\b/gi, instead: 'describe, report, notify' },
  {
    pattern: /\b(?:is|are|was|were|be|been|being) told\b(?! apart)/gi,
    instead: 'is notified, learns, the response says',
  },
  { pattern: /\bwhoever\b/gi, instead: 'anyone who, a caller who' },
  { pattern: /\bwhither\b|\bwhence\b|\bthence\b|\bthereof\b|\blest\b/gi, instead: 'a word of today' },
  { pattern: /\bof whatever\b/gi, instead: 'of any' },
  { pattern: /\bbeside\b/gi, instead: 'next to, in addition to' },
  { pattern: /\bround (?:a|an|it|its|the|them|commas)\b/gi, instead: 'around' },
  { pattern: /\bat first\b/gi, instead: 'by default, initially' },
  { pattern: /\bas (?:it|they) (?:stands?|stood)\b/gi, instead: 'unchanged, as is' },
  { pattern: /\bstands? (?:against|beside|in|there)\b/gi, instead: 'is in, prevents' },
  { pattern: /\bgive or take\b/gi, instead: 'about, within' },
  { pattern: /\bso much that\b/gi, instead: 'so that' },
  { pattern: /\bsuch a one\b|\bsuch ones\b/gi, instead: 'the noun again' },
  { pattern: /\bwhat is left out\b|\bis left out stays\b/gi, instead: 'an omitted field keeps its value' },
  { pattern: /\b(?:by|for|from|of|to|with) who\b/gi, instead: 'anyone who, a caller who' },
  { pattern: /\bwants\b|\bwanted\b/gi, instead: 'requires, expects' },
  { pattern: /\bknow(?:s|n)? of\b/gi, instead: 'know, know about' },
  { pattern: /\b(?:came|comes|became|become|becomes) of\b/gi, instead: 'the outcome, the result' },
  { pattern: /\bstrangers?\b/gi, instead: 'a caller without access' },
  { pattern: /\bin the midst\b/gi, instead: 'during' },
  { pattern: /\b[a-z]{3,}\(s\)/gi, instead: 'the singular or the plural' },
];

/** A sentence names its actor first. A question may begin as it likes. */
export const SENTENCE_STARTS: Word[] = [
  {
    pattern: /(?:^|[.:!?]\s+)\W*(?:Who|What|Of|Whoever|Refused|Wanted)\b(?![^.!]*\?)/g,
    instead: 'begin the sentence with its subject',
  },
];

export const WORDS: Word[] = [...GLOSSARY, ...CALQUES];
