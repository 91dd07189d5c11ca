import type { Strategy } from './queries.ts';
import { audienceOf, type Word } from './words.ts';

/** The audience of a strategy as a sentence: "50 % of eu-merchants whose plan is team". */
export function Audience({
  strategy,
  segmentNames,
}: {
  strategy: Pick<Strategy, 'name' | 'parameters' | 'segments' | 'constraints'>;
  segmentNames: ReadonlyMap<number, string>;
}) {
  return <Words words={audienceOf(strategy, segmentNames)} />;
}

export function Words({ words }: { words: readonly Word[] }) {
  return (
    <span>
      {words.map((word, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: a sentence never reorders its words
        word.strong ? <b key={index}>{word.text}</b> : <span key={index}>{word.text}</span>,
      )}
    </span>
  );
}
