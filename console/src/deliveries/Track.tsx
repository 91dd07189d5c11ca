import { Check, X } from 'lucide-react';
import { inZone, lasting } from '../ui/time.ts';
import s from './deliveries.module.css';
import type { Attempt, DeliveryWithAttempts } from './queries.ts';
import { codeOf, currentRun, resultOf, type Schedule, toneOf } from './words.ts';

const TIME = { hour: '2-digit', minute: '2-digit' } as const;

/** The attempts of the schedule: those that were made, the next one, and those that would follow. */
export function Track({
  delivery,
  schedule,
  chosen,
  onChoose,
}: {
  delivery: DeliveryWithAttempts;
  schedule: Schedule;
  chosen: number | undefined;
  onChoose(number: number): void;
}) {
  const run = currentRun(delivery, schedule);
  const earlier = delivery.attemptList.filter(attempt => !run.includes(attempt));
  const isOpen = delivery.state === 'pending' || delivery.state === 'retrying';
  const slots = Math.max(schedule.length, run.length);
  return (
    <>
      {earlier.length > 0 && <Earlier attempts={earlier} chosen={chosen} onChoose={onChoose} />}
      <ol className={s.track} aria-label="Attempts" data-slots={slots}>
        {Array.from({ length: slots }, (_, slot) => (
          <Slot
            // biome-ignore lint/suspicious/noArrayIndexKey: the place in the schedule is the identity
            key={slot}
            attempt={run[slot]}
            number={slot + 1}
            wait={slot === 0 ? 'immediately' : lasting((schedule[slot] ?? 0) * 1000)}
            nextAt={isOpen && slot === run.length ? delivery.nextAttemptAt : undefined}
            isChosen={run[slot]?.number === chosen}
            onChoose={onChoose}
          />
        ))}
      </ol>
    </>
  );
}

function Slot({
  attempt,
  number,
  wait,
  nextAt,
  isChosen,
  onChoose,
}: {
  attempt: Attempt | undefined;
  number: number;
  wait: string;
  /** The time of the attempt if it is the next one: null if it waits for something else. Undefined if it is not the next one. */
  nextAt: string | null | undefined;
  isChosen: boolean;
  onChoose(number: number): void;
}) {
  if (!attempt) {
    const isNext = nextAt !== undefined;
    const time = nextAt ? inZone(nextAt, TIME) : '';
    return (
      <li data-tone={isNext ? 'next' : 'later'}>
        <i role="img" aria-label={isNext ? `Attempt ${number} is next` : `Attempt ${number} would follow`} />
        <b>{time}</b>
        <small>{wait}</small>
      </li>
    );
  }
  const tone = toneOf(attempt);
  const result = resultOf(attempt);
  return (
    <li data-tone={tone} data-chosen={(attempt && isChosen) || undefined}>
      <button
        type="button"
        aria-label={`Attempt ${attempt.number}: ${result}`}
        aria-pressed={isChosen}
        onClick={() => onChoose(attempt.number)}
      >
        {tone === 'on' && <Check size={11} strokeWidth={3.2} aria-hidden="true" />}
        {tone === 'bad' && <X size={11} strokeWidth={3.2} aria-hidden="true" />}
      </button>
      <b data-word={attempt.status === null || undefined}>
        {codeOf(attempt.status, attempt.outcome, attempt.error) || 'running'}
      </b>
      <small>{wait}</small>
    </li>
  );
}

/** Interrupted attempts, and those before the delivery was redelivered. */
function Earlier({
  attempts,
  chosen,
  onChoose,
}: {
  attempts: Attempt[];
  chosen: number | undefined;
  onChoose(number: number): void;
}) {
  return (
    <p className={s.earlier}>
      Earlier attempts
      {attempts.map(attempt => (
        <button
          key={attempt.number}
          type="button"
          data-tone={toneOf(attempt)}
          aria-pressed={attempt.number === chosen}
          onClick={() => onChoose(attempt.number)}
        >
          {attempt.number} · {resultOf(attempt)}
        </button>
      ))}
    </p>
  );
}
