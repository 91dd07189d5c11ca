import type { Strategy } from './queries.ts';
import { describeStrategyAudience, type TextPart } from './words.ts';

/** Describes the audience of a strategy, such as "50 % of eu-merchants whose plan is team". */
export function Audience({
  strategy,
  segmentNames,
}: {
  strategy: Pick<Strategy, 'name' | 'parameters' | 'segments' | 'constraints'>;
  segmentNames: ReadonlyMap<number, string>;
}) {
  return <FormattedText parts={describeStrategyAudience(strategy, segmentNames)} />;
}

export function FormattedText({ parts }: { parts: readonly TextPart[] }) {
  return (
    <span>
      {parts.map((part, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never change their order
        part.strong ? <b key={index}>{part.text}</b> : <span key={index}>{part.text}</span>,
      )}
    </span>
  );
}
