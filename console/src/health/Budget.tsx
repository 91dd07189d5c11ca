import '@mantine/core/styles/NumberInput.layer.css';
import { Button, NumberInput } from '@mantine/core';
import { useState } from 'react';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { State } from '../ui/State.tsx';
import { useDraft } from '../ui/useDraft.ts';
import s from './health.module.css';
import { type Health, setDebtBudget } from './queries.ts';

const CONSEQUENCE = 'creating, cloning, moving and importing flags into this project is rejected';

/** Shows how much of the debt budget is used, and what happens above it. */
export function Budget({ projectId, budget }: { projectId: string; budget: Health['debtBudget'] }) {
  const [isEditing, setEditing] = useState(false);
  const { limit, used, exceeded } = budget;
  return (
    <section className={s.card} aria-labelledby="budget">
      <header>
        <h2 id="budget">Debt budget</h2>
        {exceeded && <State tone="bad">Exceeded</State>}
        <Can call="updateProjectSettings" project={projectId}>
          <Button variant="subtle" className={s.edit} onClick={() => setEditing(true)}>
            {limit === null ? 'Set…' : 'Change…'}
          </Button>
        </Can>
      </header>
      <p className={s.used}>
        <b>{used}</b> {limit === null ? 'stale or potentially stale, no limit' : `of ${limit} used`}
      </p>
      {limit !== null && (
        <meter
          className={s.meter}
          aria-label="Debt budget used"
          min={0}
          max={Math.max(limit, used, 1)}
          value={used}
          data-exceeded={exceeded || undefined}
        />
      )}
      <p className="muted">
        {exceeded
          ? `The budget is exceeded: ${CONSEQUENCE} until flags are cleaned up.`
          : `${limit === null ? 'Once a budget is exceeded' : 'Above the budget'}, ${CONSEQUENCE}.`}
      </p>
      {isEditing && <BudgetDialog projectId={projectId} limit={limit} onClose={() => setEditing(false)} />}
    </section>
  );
}

function BudgetDialog({
  projectId,
  limit,
  onClose,
}: {
  projectId: string;
  limit: number | null;
  onClose(): void;
}) {
  const { draft, change, discard } = useDraft<{ value: string | number }>(`budget:${projectId}`, {
    value: limit ?? '',
  });
  const { value } = draft;
  return (
    <Confirm
      opened
      title="Debt budget"
      action="Save"
      onConfirm={async () => {
        await setDebtBudget(projectId, value === '' ? null : Number(value));
      }}
      onClose={() => {
        discard();
        onClose();
      }}
    >
      <NumberInput
        label="Maximum number of stale and potentially stale flags"
        description="Leave it empty for no budget."
        min={0}
        allowDecimal={false}
        allowNegative={false}
        value={value}
        onChange={newValue => change({ value: newValue })}
      />
    </Confirm>
  );
}
