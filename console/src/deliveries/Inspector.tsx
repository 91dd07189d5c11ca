import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { RotateCw, ScrollText, SkipForward, Terminal } from 'lucide-react';
import { useState } from 'react';
import { integrationQuery } from '../integrations/queries.ts';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { copyText } from '../ui/Copy.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Sentence } from '../ui/Sentence.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Detail } from '../ui/Split.tsx';
import { State } from '../ui/State.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { formatInZone } from '../ui/time.ts';
import { toast, toastError } from '../ui/toasts.ts';
import { useFilters } from '../ui/useFilters.ts';
import { useTimeLabel } from '../ui/useTimeLabel.ts';
import { AttemptPanel } from './AttemptPanel.tsx';
import { AttemptTimeline } from './AttemptTimeline.tsx';
import s from './deliveries.module.css';
import {
  type Attempt,
  type DeliveryWithAttempts,
  deliveryQuery,
  redeliver,
  scheduleQuery,
  skip,
} from './queries.ts';
import { buildCurlCommand, buildHeadline, type Schedule, STATE_LABELS, STATE_TONES } from './words.ts';

const formatClock = (at: string): string => formatInZone(at, { hour: '2-digit', minute: '2-digit' });

/** Describes a delivery in a sentence, and shows its attempts and what the user can do about it. */
export function Inspector({
  integrationId,
  deliveryId,
  onNewer,
  onOlder,
  onClose,
}: {
  integrationId: number;
  deliveryId: string;
  onNewer?: (() => void) | undefined;
  onOlder?: (() => void) | undefined;
  onClose(): void;
}) {
  const { data, error, refetch } = useQuery(deliveryQuery(integrationId, deliveryId));
  const schedule = useQuery(scheduleQuery).data;
  return (
    <Detail
      label={`Delivery ${deliveryId}`}
      link={`/integrations/${integrationId}/deliveries/${deliveryId}`}
      bar={
        <>
          {data && <State tone={STATE_TONES[data.state]}>{STATE_LABELS[data.state]}</State>}
          <span className="mono">#{deliveryId}</span>
        </>
      }
      {...(onNewer ? { onNewer } : {})}
      {...(onOlder ? { onOlder } : {})}
      onClose={onClose}
    >
      {data && schedule && <Content delivery={data} schedule={schedule} />}
      {(!data || !schedule) &&
        (error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton />)}
    </Detail>
  );
}

function Content({ delivery, schedule }: { delivery: DeliveryWithAttempts; schedule: Schedule }) {
  const { search, replace } = useFilters();
  const attempts = delivery.attemptList;
  const attempt = attempts.find(({ number }) => String(number) === search.attempt) ?? attempts.at(-1);
  const choose = (number: number) => replace({ attempt: String(number) });
  const move = (step: number) => {
    const nextAttempt = attempt && attempts[attempts.indexOf(attempt) + step];
    if (nextAttempt) choose(nextAttempt.number);
  };
  useShortcuts([
    { keys: '[', description: 'Earlier attempt', run: () => move(-1) },
    { keys: ']', description: 'Later attempt', run: () => move(1) },
  ]);
  const { start, end } = buildHeadline(delivery, schedule, formatClock);
  const emphasis = useTimeLabel(now => buildHeadline(delivery, schedule, formatClock, now).emphasis ?? '');
  return (
    <>
      <h2 className={s.headline}>
        {start}
        {emphasis && <b>{emphasis}</b>}
        {end}
      </h2>
      <p className={s.sentence}>
        <Sentence event={delivery.event} links />
      </p>
      <Actions delivery={delivery} attempt={attempt} />
      <AttemptTimeline
        delivery={delivery}
        schedule={schedule}
        chosenNumber={attempt?.number}
        onChoose={choose}
      />
      {delivery.state === 'failed' && <p className={s.details}>{delivery.stateDetails}</p>}
      {delivery.replayOf && (
        <p className={s.details}>
          Replays{' '}
          <Link
            to="/integrations/$integrationId/deliveries/$deliveryId"
            params={{ integrationId: String(delivery.integrationId), deliveryId: delivery.replayOf }}
            className={s.link}
          >
            delivery {delivery.replayOf}
          </Link>
        </p>
      )}
      <AttemptPanel delivery={delivery} attempt={attempt} />
    </>
  );
}

function Actions({ delivery, attempt }: { delivery: DeliveryWithAttempts; attempt: Attempt | undefined }) {
  const navigate = useNavigate();
  const [confirmation, setConfirmation] = useState<'redeliver' | 'skip'>();
  const integration = useQuery(integrationQuery(String(delivery.integrationId))).data?.integration;
  const isOpen = delivery.state === 'pending' || delivery.state === 'retrying';
  const isRetrying = delivery.state === 'retrying' && delivery.nextAttemptAt !== null;
  const redeliveryObstacle =
    isOpen && !isRetrying
      ? 'This delivery cannot be redelivered now, because an attempt is due or running.'
      : undefined;
  const skipObstacle = delivery.blocks
    ? undefined
    : isOpen
      ? 'This delivery has attempts left. It can be skipped after the last one.'
      : 'This delivery does not block later ones.';
  const send = async () => {
    await redeliver(delivery);
    toast({
      message: isRetrying
        ? 'The next attempt starts now. The schedule continues.'
        : 'Redelivery queued. The schedule starts again.',
    });
  };
  const startRedelivery = () => {
    if (redeliveryObstacle !== undefined)
      return toast({ message: redeliveryObstacle, about: `delivery ${delivery.id}` });
    // Asks for confirmation only if the event was already delivered, because it would arrive twice.
    if (delivery.state === 'failed' || isRetrying) void send().catch(toastError);
    else setConfirmation('redeliver');
  };
  const eventId = String(delivery.event.id);
  useShortcuts([
    { keys: 'r', description: 'Redeliver', run: startRedelivery },
    {
      keys: 'e',
      description: 'Open event',
      run: () => void navigate({ to: '/events/$eventId', params: { eventId } }),
    },
  ]);
  return (
    <div className={s.actions}>
      <Can call="redeliverIntegrationEvent">
        <Button
          variant={redeliveryObstacle === undefined ? 'filled' : 'default'}
          leftSection={<RotateCw size={13} />}
          aria-disabled={redeliveryObstacle !== undefined}
          data-disabled={redeliveryObstacle !== undefined || undefined}
          title={redeliveryObstacle}
          onClick={startRedelivery}
        >
          {isRetrying ? 'Redeliver now' : 'Redeliver'}
        </Button>
      </Can>
      {integration?.ordered && (
        <Can call="skipIntegrationEvent">
          <Button
            leftSection={<SkipForward size={13} />}
            aria-disabled={skipObstacle !== undefined}
            data-disabled={skipObstacle !== undefined || undefined}
            title={skipObstacle}
            onClick={() => skipObstacle === undefined && setConfirmation('skip')}
          >
            Skip…
          </Button>
        </Can>
      )}
      <Button component={Link} to={`/events/${eventId}`} leftSection={<ScrollText size={13} />}>
        Open event
      </Button>
      <Button
        leftSection={<Terminal size={13} />}
        onClick={() =>
          void copyText(buildCurlCommand(delivery, attempt), 'Command copied. Secrets are masked.')
        }
      >
        Copy as cURL
      </Button>
      <Confirm
        opened={confirmation === 'redeliver'}
        title="Deliver this event again?"
        action="Redeliver"
        onConfirm={send}
        onClose={() => setConfirmation(undefined)}
      >
        <p>The receiver already got this event. Redelivering sends it again, with the same webhook-id.</p>
      </Confirm>
      <Confirm
        opened={confirmation === 'skip'}
        title="Skip this delivery?"
        action="Skip delivery"
        danger
        onConfirm={async () => {
          await skip(delivery);
          toast({ message: 'Delivery skipped. Later deliveries continue.' });
        }}
        onClose={() => setConfirmation(undefined)}
      >
        <p>The receiver does not get this event. The integration continues with the next one.</p>
      </Confirm>
    </div>
  );
}
