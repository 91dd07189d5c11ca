import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Pencil } from 'lucide-react';
import { isAdmin } from '../api/can.ts';
import { useMe, useMissingPermissions } from '../api/me.ts';
import { contextQuery } from '../features/queries.ts';
import { environmentsQuery } from '../shell/queries.ts';
import { Conflict } from '../ui/Conflict.tsx';
import { DangerAction, DangerZone } from '../ui/DangerZone.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { Loading } from '../ui/Loading.tsx';
import { findChange } from '../ui/last-change.ts';
import { Page } from '../ui/Page.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { State } from '../ui/State.tsx';
import { toast } from '../ui/toasts.ts';
import { useEditor } from '../ui/useEditor.tsx';
import type { Version } from '../ui/versions.ts';
import { formatCount } from '../ui/words.ts';
import { type Draft, findProblems, toBody, toDraft } from './draft.ts';
import { Effect } from './Effect.tsx';
import { computeEffects, countProductionFlags } from './effect.ts';
import {
  buildSubject,
  deleteSegment,
  type Segment,
  type StrategyUse,
  segmentFlagsQuery,
  segmentQuery,
  updateSegment,
  usesQuery,
} from './queries.ts';
import { SegmentForm } from './SegmentForm.tsx';
import { StrategyUses } from './StrategyUses.tsx';
import s from './segments.module.css';

/** Edits a segment, and shows what depends on it. */
export function SegmentPage() {
  const { segmentId = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(segmentQuery(segmentId));
  if (data)
    return (
      <Editor
        key={segmentId}
        segment={data.segment}
        current={{ draft: toDraft(data.segment), etag: data.etag }}
      />
    );
  return (
    <Page title="Segment" crumbs={<Link to="/admin/segments">Segments</Link>}>
      <Loading queries={[{ error, refetch }]} />
    </Page>
  );
}

function Editor({ segment, current }: { segment: Segment; current: Version<Draft> }) {
  const client = useQueryClient();
  const { id } = segment;
  const key = String(id);
  const missingPermissions = useMissingPermissions(
    segment.project === null ? 'updateSegment' : 'updateProjectSegment',
    segment.project === null ? {} : { project: segment.project },
  );
  const read = async () => {
    const newest = await client.fetchQuery({ ...segmentQuery(key), staleTime: 0 });
    return { draft: toDraft(newest.segment), etag: newest.etag };
  };
  const { draft, base, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: `segment:${id}`,
    current,
    read,
    save: (sent, etag, reason) => updateSegment(id, toBody(sent), etag, reason),
    findChange: () => findChange(buildSubject(segment)),
    onSaved: async sent => {
      toast({ message: `Saved ${sent.name.trim()}.` });
      return await read();
    },
  });
  const fields = filterFields(useQuery(contextQuery).data ?? [], draft.project);
  const environments = useQuery(environmentsQuery).data?.environments ?? [];
  const uses = useQuery(usesQuery(key)).data;
  const flags = useQuery(segmentFlagsQuery(segment.name)).data;
  // Only the strategies of its project can use a project's segment.
  const seesAllUses = isAdmin(useMe()) || segment.project !== null;
  const effects = computeEffects(uses ?? [], environments, flags);
  const isAudienceChanged = changes.some(({ path }) => path[0] === 'constraints');
  const productionFlags = isAudienceChanged ? countProductionFlags(effects) : 0;
  const problems = findProblems(draft, fields);
  return (
    <Page
      title={<span className="mono">{segment.name}</span>}
      name={segment.name}
      crumbs={<Link to="/admin/segments">Segments</Link>}
      note={
        changes.length > 0 && (
          <State tone="info" icon={<Pencil size={12} />}>
            {formatCount(changes.length, 'unsaved change')}
          </State>
        )
      }
    >
      {conflict ? (
        <div className={s.conflict}>
          <h2 className="sr">Conflict</h2>
          <Conflict noun="segment" {...conflict} />
        </div>
      ) : (
        <FormAndEffect
          as="page"
          title="Effect"
          onSubmit={editor.save}
          form={
            <>
              <SegmentForm
                draft={draft}
                base={base}
                fields={fields}
                error={error}
                disabled={editor.isPending || missingPermissions.length > 0}
                onChange={change}
              />
              <Deletion segment={segment} uses={uses} seesAllUses={seesAllUses} />
            </>
          }
          bar={
            (changes.length > 0 || missingPermissions.length > 0) && (
              <SaveBar
                changes={changes}
                action={
                  productionFlags > 0
                    ? `Save and change ${formatCount(productionFlags, 'flag')} in production`
                    : 'Save'
                }
                missingPermissions={missingPermissions}
                pending={editor.isPending}
                reason={{ reasonRule: 'optional', ...editor.reason }}
                problems={problems}
                disabled={missingPermissions.length > 0}
                onSave={editor.save}
                onDiscard={editor.discard}
              />
            )
          }
        >
          <Effect effects={effects} isChanged={isAudienceChanged} />
          <StrategyUses
            uses={uses}
            empty={`${seesAllUses ? 'No strategy uses it' : 'No strategy that you can read uses it'}. To use it, add it to a strategy on a flag page, under Targeting.`}
          />
          <LastChange subject={buildSubject(segment)} />
        </FormAndEffect>
      )}
      {confirmation}
    </Page>
  );
}

/** Returns the context fields that a segment can use, which belong to the instance or to its project. */
export const filterFields = <Field extends { project: string | null }>(
  fields: readonly Field[],
  project: string,
): Field[] => fields.filter(field => field.project === null || field.project === project);

function Deletion({
  segment,
  uses,
  seesAllUses,
}: {
  segment: Segment;
  uses: readonly StrategyUse[] | undefined;
  /** Whether `uses` contains the strategies of all projects. */
  seesAllUses: boolean;
}) {
  const navigate = useNavigate();
  const { id, name, project } = segment;
  const remove = async (reason: string) => {
    await deleteSegment(id, reason);
    await navigate({ to: '/admin/segments', ignoreBlocker: true });
    toast({ message: `Deleted ${name}.` });
  };
  const [firstUse] = uses ?? [];
  return (
    <DangerZone>
      <DangerAction
        title="Delete this segment"
        action="Delete segment"
        call={project === null ? 'deleteSegment' : 'deleteProjectSegment'}
        {...(project !== null && { project })}
        blocked={
          uses &&
          firstUse && (
            <>
              You cannot delete this segment while{' '}
              <Link
                to="/projects/$projectId/features/$featureName"
                params={{ projectId: firstUse.projectId, featureName: firstUse.featureName }}
                search={{ environment: firstUse.environment, edit: firstUse.id }}
              >
                {formatCount(uses.length, 'strategy', 'strategies')}
              </Link>{' '}
              {uses.length === 1 ? 'uses' : 'use'} it. Remove the segment there first.
            </>
          )
        }
        reasonRule="optional"
        onConfirm={remove}
      >
        {seesAllUses
          ? 'No strategy uses this segment.'
          : 'No strategy in the projects that you can read uses this segment. You cannot delete it while a strategy in a different project uses it.'}{' '}
        Deleting the segment also deletes its constraints.
      </DangerAction>
    </DangerZone>
  );
}
