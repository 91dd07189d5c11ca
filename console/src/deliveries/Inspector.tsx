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
import { inZone } from '../ui/time.ts';
import { toast, toastError } from '../ui/toasts.ts';
import { useCurrent } from '../ui/useCurrent.ts';
import { useFilters } from '../ui/useFilters.ts';
import { AttemptPanel } from './AttemptPanel.tsx';
import s from './deliveries.module.css';
import {
  type Attempt,
  type DeliveryWithAttempts,
  deliveryQuery,
  redeliver,
  scheduleQuery,
  skip,
} from './queries.ts';
import { Track } from './Track.tsx';
import { curlOf, headlineOf, type Schedule, STATE_TONES, STATE_WORDS } from './words.ts';

const clock = (at: string): string => inZone(at, { hour: '2-digit', minute: '2-digit' });

/** One delivery: its state in a sentence, its attempts, and what to do about it. */
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
          {data && <State tone={STATE_TONES[data.state]}>{STATE_WORDS[data.state]}</State>}
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
    const next = attempt && attempts[attempts.indexOf(attempt) + step];
    if (next) choose(next.number);
  };
  useShortcuts([
    { keys: '[', description: 'Earlier attempt', run: () => move(-1) },
    { keys: ']', description: 'Later attempt', run: () => move(1) },
  ]);
  const { before, after } = headlineOf(delivery, schedule, clock);
  const strong = useCurrent(now => headlineOf(delivery, schedule, clock, now).strong ?? '');
  return (
    <>
      <h2 className={s.headline}>
        {before}
        {strong && <b>{strong}</b>}
        {after}
      </h2>
      <p className={s.sentence}>
        <Sentence event={delivery.event} links />
      </p>
      <Actions delivery={delivery} attempt={attempt} />
      <Track delivery={delivery} schedule={schedule} chosen={attempt?.number} onChoose={choose} />
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
  const [asked, ask] = useState<'redeliver' | 'skip'>();
  const integration = useQuery(integrationQuery(String(delivery.integrationId))).data?.integration;
  const isOpen = delivery.state === 'pending' || delivery.state === 'retrying';
  const isRetrying = delivery.state === 'retrying' && delivery.nextAttemptAt !== null;
  const obstacle =
    isOpen && !isRetrying
      ? 'This delivery cannot be redelivered now, because an attempt is due or running.'
      : undefined;
  const noSkip = delivery.blocks
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
    if (obstacle !== undefined) return toast({ message: obstacle, about: `delivery ${delivery.id}` });
    // A failed delivery did not arrive. A delivered one would arrive twice.
    if (delivery.state === 'failed' || isRetrying) void send().catch(toastError);
    else ask('redeliver');
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
          variant={obstacle === undefined ? 'filled' : 'default'}
          leftSection={<RotateCw size={13} />}
          aria-disabled={obstacle !== undefined}
          data-disabled={obstacle !== undefined || undefined}
          title={obstacle}
          onClick={startRedelivery}
        >
          {isRetrying ? 'Redeliver now' : 'Redeliver'}
        </Button>
      </Can>
      {integration?.ordered && (
        <Can call="skipIntegrationEvent">
          <Button
            leftSection={<SkipForward size={13} />}
            aria-disabled={noSkip !== undefined}
            data-disabled={noSkip !== undefined || undefined}
            title={noSkip}
            onClick={() => noSkip === undefined && ask('skip')}
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
        onClick={() => void copyText(curlOf(delivery, attempt), 'Command copied. Secrets are masked.')}
      >
        Copy as cURL
      </Button>
      <Confirm
        opened={asked === 'redeliver'}
        title="Deliver this event again?"
        action="Redeliver"
        onConfirm={send}
        onClose={() => ask(undefined)}
      >
        <p>The receiver already got this event. It gets the event again, with the same webhook-id.</p>
      </Confirm>
      <Confirm
        opened={asked === 'skip'}
        title="Skip this delivery?"
        action="Skip delivery"
        danger
        onConfirm={async () => {
          await skip(delivery);
          toast({ message: 'Delivery skipped. Later deliveries continue.' });
        }}
        onClose={() => ask(undefined)}
      >
        <p>The receiver does not get this event. The integration continues with the next one.</p>
      </Confirm>
    </div>
  );
}
