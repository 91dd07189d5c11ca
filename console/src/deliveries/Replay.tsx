import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { Button, SegmentedControl } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Integration } from '../integrations/queries.ts';
import { FormErrors } from '../ui/Failure.tsx';
import { Sentence } from '../ui/Sentence.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import type { Search } from '../ui/search.ts';
import { Time } from '../ui/Time.tsx';
import { TimeInput } from '../ui/TimeInput.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { formatCount } from '../ui/words.ts';
import s from './deliveries.module.css';
import { type ReplayKind, type ReplayRange, replayPlanQuery, runReplay } from './queries.ts';

const DAY_MS = 86_400_000;
const LABELS: Record<ReplayKind, { noun: string; about: string }> = {
  failed: {
    noun: 'failed delivery',
    about: 'Restarts the retry schedule of failed deliveries in this range. Each keeps its webhook-id.',
  },
  missing: {
    noun: 'event without a delivery',
    about:
      'Delivers matching events in the range that were never delivered, for example because the integration did not exist yet or was disabled.',
  },
};
const PLURALS: Record<ReplayKind, string> = {
  failed: 'failed deliveries',
  missing: 'events without a delivery',
};

/** Redelivers a range after showing the number of deliveries. The URL contains the kind (`?replay=`) and the times. */
export function Replay({ integration }: { integration: Integration }) {
  const { search, replace } = useFilters();
  const range = readRange(search);
  const close = () =>
    replace({ edit: undefined, replay: undefined, replayFrom: undefined, replayTo: undefined });
  return (
    <SidePanel title="Replay" onClose={close}>
      <div className={s.replay}>
        <SegmentedControl
          aria-label="Deliveries to replay"
          value={range.kind}
          data={[
            { value: 'failed', label: 'Failed deliveries' },
            { value: 'missing', label: 'Events without a delivery' },
          ]}
          onChange={replay => replace({ replay })}
        />
        <p className="muted">{LABELS[range.kind].about}</p>
        <TimeInput
          label="From"
          withSeconds
          value={range.from}
          onChange={replayFrom => replayFrom && replace({ replayFrom })}
        />
        <TimeInput
          label="To"
          note="If empty, up to now."
          withSeconds
          value={range.to ?? ''}
          onChange={replayTo => replace({ replayTo: replayTo || undefined })}
        />
        <Plan key={JSON.stringify(range)} integration={integration} range={range} onClose={close} />
      </div>
    </SidePanel>
  );
}

function Plan({
  integration,
  range,
  onClose,
}: {
  integration: Integration;
  range: ReplayRange;
  onClose(): void;
}) {
  const plan = useQuery(replayPlanQuery(integration.id, range));
  const run = useMutation({
    mutationFn: () => runReplay(integration.id, range),
  });
  const error = run.error ?? plan.error;
  const { noun } = LABELS[range.kind];
  const count = plan.data?.deliveries ?? 0;
  const countText = formatCount(count, noun, PLURALS[range.kind]);
  const queuedReplay = run.data;
  return (
    <>
      <FormErrors messages={error ? [error.message] : []} />
      {plan.isPending && <Skeleton rows={2} />}
      {queuedReplay && (
        <p role="status" className={s.queued}>
          {formatCount(queuedReplay.deliveries, 'delivery', 'deliveries')} queued.
          {queuedReplay.complete ? ' None remain in the range.' : ' More remain in the range.'}
        </p>
      )}
      {plan.data && !queuedReplay?.complete && (
        <div className={s.plan}>
          <p role="status">
            <b>{plan.data.complete ? countText : `The first ${countText}`}</b> in this range.
            {count === 0 &&
              range.kind === 'failed' &&
              ' Deliveries in progress are retried automatically. To retry one now, open it in the list.'}
          </p>
          {plan.data.firstEvent && (
            <p>
              First: <Sentence event={plan.data.firstEvent} />, <Time at={plan.data.firstEvent.createdAt} />
            </p>
          )}
          {plan.data.lastEvent && plan.data.lastEvent.id !== plan.data.firstEvent?.id && (
            <p>
              Last: <Sentence event={plan.data.lastEvent} />, <Time at={plan.data.lastEvent.createdAt} />
            </p>
          )}
        </div>
      )}
      <footer className={s.foot}>
        <Button onClick={onClose}>{queuedReplay?.complete ? 'Close' : 'Cancel'}</Button>
        {!queuedReplay?.complete && (
          <Button
            variant="filled"
            loading={run.isPending}
            disabled={count === 0}
            onClick={() => run.mutate()}
          >
            {queuedReplay ? 'Continue' : `Replay ${countText}`}
          </Button>
        )}
      </footer>
    </>
  );
}

/** Reads the range from the URL. By default, it begins a day ago, rounded down to the hour so that every render makes the same query. */
function readRange(search: Search): ReplayRange {
  const kind = search.replay === 'missing' ? 'missing' : 'failed';
  const yesterday = new Date(Math.floor((Date.now() - DAY_MS) / 3_600_000) * 3_600_000).toISOString();
  const from = parseInstant(search.replayFrom) ?? yesterday;
  const to = parseInstant(search.replayTo);
  return { kind, from, ...(to === undefined ? {} : { to }) };
}

const parseInstant = (value: Search[string]): string | undefined =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : undefined;
