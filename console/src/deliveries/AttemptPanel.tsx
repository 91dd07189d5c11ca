import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl } from '@mantine/core';
import { Headers } from '../integrations/Headers.tsx';
import { CopyButton } from '../ui/Copy.tsx';
import { Json } from '../ui/Json.tsx';
import { Time } from '../ui/Time.tsx';
import { lasting } from '../ui/time.ts';
import { useFilters } from '../ui/useFilters.ts';
import s from './deliveries.module.css';
import type { Attempt, DeliveryWithAttempts } from './queries.ts';
import { statusWords, toneOf } from './words.ts';

const SIDES = ['response', 'request', 'event'] as const;
type Side = (typeof SIDES)[number];

/** Response, request and event of an attempt. `?show=request` chooses. */
export function AttemptPanel({
  delivery,
  attempt,
}: {
  delivery: DeliveryWithAttempts;
  attempt: Attempt | undefined;
}) {
  const { search, replace } = useFilters();
  const side = SIDES.find(one => one === search.show) ?? (attempt ? 'response' : 'event');
  return (
    <>
      {attempt && <Facts attempt={attempt} />}
      <section className={s.panel} aria-label={`Content: ${side}`}>
        <div className={s.panelTop}>
          <SegmentedControl
            aria-label="Part of the attempt"
            value={side}
            data={SIDES.map(value => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) }))}
            onChange={show => replace({ show: show === 'response' ? undefined : show })}
          />
          <span className={s.kind}>{kindOf(side, delivery, attempt)}</span>
          <CopyButton text={textOf(side, delivery, attempt)} label={`Copy ${side}`} size={14} />
        </div>
        {side === 'response' && <Response attempt={attempt} />}
        {side === 'request' && <Request delivery={delivery} attempt={attempt} />}
        {side === 'event' && <Json value={delivery.event} label="Event" />}
      </section>
    </>
  );
}

function Facts({ attempt }: { attempt: Attempt }) {
  const tone = toneOf(attempt);
  return (
    <dl className={s.facts}>
      <div>
        <dt>Attempt {attempt.number}</dt>
        <dd>
          <Time at={attempt.startedAt} as="clock" />
        </dd>
      </div>
      <div>
        <dt>Response</dt>
        <dd data-tone={tone}>{statusWords(attempt.status)}</dd>
      </div>
      <div>
        <dt>Duration</dt>
        <dd>{attempt.durationMs === null ? 'running' : lasting(attempt.durationMs)}</dd>
      </div>
      <div>
        <dt>IP address</dt>
        <dd className="mono">{attempt.address ?? '–'}</dd>
      </div>
    </dl>
  );
}

function Response({ attempt }: { attempt: Attempt | undefined }) {
  if (!attempt) return <p className={s.none}>No attempt yet.</p>;
  const { error, status, headers, response } = attempt;
  return (
    <>
      {error && <p className={s.none}>{error}</p>}
      {status === null && !error && <p className={s.none}>The receiver sent no response.</p>}
      {headers && <Headers headers={Object.entries(headers).map(([name, value]) => ({ name, value }))} />}
      {response ? (
        <Json value={pretty(response)} label="Response body" />
      ) : (
        status !== null && <p className={s.none}>The response has no stored body.</p>
      )}
    </>
  );
}

function Request({ delivery, attempt }: { delivery: DeliveryWithAttempts; attempt: Attempt | undefined }) {
  const { url, body = delivery.details } = delivery.details;
  return (
    <>
      <Headers
        headers={[
          ...(typeof url === 'string' ? [{ name: 'to', value: url }] : []),
          ...(attempt?.requestHeaders ?? []),
        ]}
      />
      <Json value={typeof body === 'string' ? pretty(body) : body} label="Request body" />
    </>
  );
}

const kindOf = (side: Side, delivery: DeliveryWithAttempts, attempt: Attempt | undefined): string =>
  side === 'event'
    ? delivery.event.type
    : side === 'request'
      ? 'POST'
      : attempt?.status == null
        ? (attempt?.outcome ?? '')
        : `HTTP ${attempt.status}`;

const textOf = (side: Side, delivery: DeliveryWithAttempts, attempt: Attempt | undefined): string =>
  side === 'response'
    ? (attempt?.response ?? attempt?.error ?? '')
    : JSON.stringify(
        side === 'event' ? delivery.event : (delivery.details.body ?? delivery.details),
        null,
        2,
      );

function pretty(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
