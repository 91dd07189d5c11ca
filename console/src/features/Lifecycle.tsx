import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { STAGES } from '../feature-search/FlagState.tsx';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { Time } from '../ui/Time.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { useDraft } from '../ui/useDraft.ts';
import {
  type Completion,
  completeFeature,
  type Feature,
  lifecycleQuery,
  uncompleteFeature,
} from './queries.ts';
import s from './Rail.module.css';
import { Section } from './Section.tsx';

/** The rail section with the stages that the flag has reached. The last one is the current stage. */
export function Lifecycle({ feature }: { feature: Feature }) {
  const [isCompleting, setCompleting] = useState(false);
  const path = { projectId: feature.project, featureName: feature.name };
  const stages = useQuery(lifecycleQuery(path)).data ?? [feature.lifecycle];
  const { stage, status, statusValue } = feature.lifecycle;
  const complete = (outcome: Completion) => completeFeature(path, outcome);
  const uncomplete = async () => {
    await uncompleteFeature(path);
    toast({
      message: `${feature.name} is no longer completed.`,
      action: status && {
        label: 'Undo',
        run: () => void complete({ status, statusValue: statusValue ?? null }).catch(toastError),
      },
    });
  };
  return (
    <Section
      title="Lifecycle"
      action={
        !feature.archived &&
        (stage === 'completed' ? (
          <Can call="uncompleteFeature" project={feature.project}>
            <Button size="compact-xs" onClick={() => void uncomplete().catch(toastError)}>
              Uncomplete
            </Button>
          </Can>
        ) : (
          <Can call="completeFeature" project={feature.project}>
            <Button size="compact-xs" onClick={() => setCompleting(true)}>
              Complete…
            </Button>
          </Can>
        ))
      }
    >
      <ol className={s.stages}>
        {stages.map(reachedStage => (
          <li key={reachedStage.stage} aria-current={reachedStage.stage === stage ? 'step' : undefined}>
            <b>{STAGES[reachedStage.stage]}</b>
            {reachedStage.status && (
              <span>
                {reachedStage.status}
                {reachedStage.statusValue && `: ${reachedStage.statusValue}`}
              </span>
            )}
            <span className={s.since}>
              since <Time at={reachedStage.enteredStageAt} format="date" />
            </span>
          </li>
        ))}
      </ol>
      {isCompleting && (
        <CompleteDialog feature={feature} onComplete={complete} onClose={() => setCompleting(false)} />
      )}
    </Section>
  );
}

function CompleteDialog({
  feature,
  onComplete,
  onClose,
}: {
  feature: Feature;
  onComplete(outcome: Completion): Promise<void>;
  onClose(): void;
}) {
  const { draft, change, discard } = useDraft<{ status: Completion['status']; statusValue: string }>(
    `complete:${feature.name}`,
    { status: 'kept', statusValue: '' },
  );
  const { status, statusValue } = draft;
  return (
    <Confirm
      opened
      title={`Complete ${feature.name}?`}
      action="Complete flag"
      onConfirm={() => onComplete({ status, statusValue: statusValue.trim() || null })}
      onClose={() => {
        discard();
        onClose();
      }}
    >
      <p>This records what you decided about the flag. SDKs still receive it until you archive it.</p>
      <NativeSelect
        label="Outcome"
        value={status}
        data={[
          { value: 'kept', label: 'Kept: the new behavior stays' },
          { value: 'discarded', label: 'Discarded: the old behavior stays' },
        ]}
        onChange={event => change({ status: event.target.value === 'discarded' ? 'discarded' : 'kept' })}
      />
      <TextInput
        label="Details"
        description="Optional, such as the kept variant"
        mt={12}
        maxLength={500}
        autoComplete="off"
        value={statusValue}
        onChange={event => change({ statusValue: event.target.value })}
      />
    </Confirm>
  );
}
