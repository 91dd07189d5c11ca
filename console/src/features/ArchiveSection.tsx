import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { keys } from '../api/keys.ts';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { useReasonRule } from '../ui/useReasonRule.ts';
import { ArchiveDialog } from './ArchiveDialog.tsx';
import { deleteFeature, type Feature, reviveFeature } from './queries.ts';
import s from './tab.module.css';
import { describeRevival } from './words.ts';

/** The section that archives an active flag, or revives or deletes an archived one. */
export function ArchiveSection({ feature }: { feature: Feature }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [confirmation, setConfirmation] = useState<'archive' | 'delete'>();
  const path = { projectId: feature.project, featureName: feature.name };
  const revive = async () => {
    await reviveFeature(path);
    toast({ about: feature.name, message: describeRevival(feature) });
  };
  const reasonRule = useReasonRule(feature.project);
  const remove = async (reason: string) => {
    await deleteFeature(path, reason);
    await navigate({ to: '/projects/$projectId', params: { projectId: feature.project } });
    client.removeQueries({ queryKey: keys.feature(path) });
    toast({ message: `Deleted ${feature.name}.` });
  };
  return (
    <section aria-label="Archive">
      <header>
        <h2>Archive</h2>
      </header>
      <div className={s.card}>
        <div className={s.fields}>
          {feature.archived ? (
            <>
              <p>
                SDKs do not receive the flag. A revived flag is disabled in every environment and has no
                parents. Deleting the flag frees its name. Its events remain.
              </p>
              <span className={s.buttons}>
                <Can call="reviveFeature" project={feature.project}>
                  <Button onClick={() => void revive().catch(toastError)}>Revive flag</Button>
                </Can>
                <Can call="deleteArchivedFeature" project={feature.project}>
                  <Button variant="subtle" c="var(--h-bad)" onClick={() => setConfirmation('delete')}>
                    Delete flag…
                  </Button>
                </Can>
              </span>
            </>
          ) : (
            <>
              <p>SDKs no longer receive an archived flag. Its name stays taken, and you can revive it.</p>
              <span className={s.buttons}>
                <Can call="archiveFeature" project={feature.project}>
                  <Button onClick={() => setConfirmation('archive')}>Archive this flag…</Button>
                </Can>
              </span>
            </>
          )}
        </div>
      </div>
      {confirmation === 'archive' && (
        <ArchiveDialog feature={feature} onClose={() => setConfirmation(undefined)} />
      )}
      {confirmation === 'delete' && (
        <Confirm
          opened
          title={`Delete ${feature.name}?`}
          action="Delete flag"
          danger
          reasonRule={reasonRule}
          onConfirm={remove}
          onClose={() => setConfirmation(undefined)}
        >
          <p>A deleted flag cannot be restored. Its strategies, variants, tags and links are lost.</p>
        </Confirm>
      )}
    </section>
  );
}
