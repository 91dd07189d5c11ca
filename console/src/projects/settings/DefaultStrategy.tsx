import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef } from 'react';
import { loadChunk } from '../../api/chunks.ts';
import { otherMessages } from '../../api/errors.ts';
import { useMissingPermissions } from '../../api/me.ts';
import { Words } from '../../features/Audience.tsx';
import { bodyOf, type Draft, draftOf, notAllowed, problemsOf, rolloutProblem } from '../../features/draft.ts';
import { FlagLink } from '../../features/FlagLink.tsx';
import { contextQuery, segmentsQuery } from '../../features/queries.ts';
import { audienceOf, textOf } from '../../features/words.ts';
import { Conflict } from '../../ui/Conflict.tsx';
import { Failure, FormErrors } from '../../ui/Failure.tsx';
import { findChange } from '../../ui/last-change.ts';
import { RailSection } from '../../ui/RailSection.tsx';
import { SaveBar } from '../../ui/SaveBar.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toasts.ts';
import { useEditor } from '../../ui/useEditor.tsx';
import { useFilters } from '../../ui/useFilters.ts';
import type { Version } from '../../ui/versions.ts';
import { counted } from '../../ui/words.ts';
import type { ProjectDetails } from '../queries.ts';
import { Effects } from './Effects.tsx';
import {
  type DefaultStrategy,
  type EnvironmentInProject,
  type EnvironmentOfProject,
  environmentQuery,
  saveDefaultStrategy,
} from './queries.ts';
import s from './settings.module.css';
import { changesOfEnvironments } from './subjects.ts';

/** The slider and the constraint editor are large. */
export const loadFields = () => loadChunk(() => import('../../features/StrategyFields.tsx'));
const StrategyFields = lazy(() => loadFields().then(one => ({ default: one.StrategyFields })));

type Parts = { fields: ReactNode; rail: ReactNode; bar: ReactNode; onSubmit(): void };
type Props = {
  project: ProjectDetails;
  environment: EnvironmentOfProject;
  /** The page around the fields, their effect and the save bar. */
  render(parts: Parts): ReactNode;
};

/** What a flag without a strategy gets if the project has no default strategy. */
const EVERYONE = { rollout: '100', stickiness: 'default' };

const draftOfDefault = (strategy: DefaultStrategy | undefined, stickiness: string): Draft =>
  strategy
    ? draftOf(strategy)
    : {
        name: 'flexibleRollout',
        title: '',
        disabled: false,
        parameters: { ...EVERYONE, stickiness },
        segments: [],
        constraints: [],
        variants: [],
      };

/** Edits the default strategy of the project in an environment. It starts from the newest state on the server. */
export function DefaultStrategyEditor(props: Props) {
  const place = { projectId: props.project.id, environment: props.environment.name };
  const loaded = useQuery({
    ...environmentQuery(place),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // A newer state must not replace the one that the input is based on. Saving finds out whether there is one.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const empty = { rail: null, bar: null, onSubmit: () => {} };
  if (loaded.data)
    return (
      <Editor
        {...props}
        use={loaded.data.environment}
        current={{
          draft: draftOfDefault(loaded.data.environment.defaultStrategy, props.project.defaultStickiness),
          etag: loaded.data.etag,
        }}
      />
    );
  const fields = loaded.error ? (
    <Failure error={loaded.error} onRetry={() => void loaded.refetch()} />
  ) : (
    <Skeleton rows={3} />
  );
  return props.render({ ...empty, fields });
}

function Editor({
  project,
  environment: { name: environment, type },
  use,
  current,
  render,
}: Props & { use: EnvironmentInProject; current: Version<Draft> }) {
  const client = useQueryClient();
  const { leave } = useFilters();
  const place = { projectId: project.id, environment };
  const segments = (useQuery(segmentsQuery).data?.segments ?? []).filter(
    one => one.project === null || one.project === project.id,
  );
  const fields = (useQuery(contextQuery).data ?? []).filter(
    one => one.project === null || one.project === project.id,
  );
  const missing = useMissingPermissions('updateDefaultStrategy', { project: project.id });
  const close = () => leave({ edit: undefined });
  const { draft, base, changes, change, error, conflict, question, ...editor } = useEditor<Draft>({
    thing: `default-strategy:${project.id}:${environment}`,
    current,
    read: async () => {
      const now = await client.fetchQuery({ ...environmentQuery(place), staleTime: 0 });
      return {
        draft: draftOfDefault(now.environment.defaultStrategy, project.defaultStickiness),
        etag: now.etag,
      };
    },
    save: (sent, etag) =>
      saveDefaultStrategy(place, { ...bodyOf(sent), sortOrder: use.defaultStrategy?.sortOrder }, etag),
    findChange: () =>
      findChange({
        ...changesOfEnvironments(project.id),
        isAbout: event => event.environment === environment,
      }),
    onSaved: async () => {
      toast({ message: `Saved the default strategy in ${environment}.` });
      close();
      return undefined;
    },
  });
  const element = useRef<HTMLDivElement>(null);
  const problems = problemsOf(draft);
  const hasWrongValues = draft.constraints.some(
    one =>
      notAllowed(
        one,
        fields.find(({ name }) => name === one.contextName),
      ).length > 0,
  );
  const isInvalid = problems.length > 0 || hasWrongValues || missing.length > 0;
  const isProduction = type === 'production';
  return render({
    onSubmit: () => changes.length > 0 && !isInvalid && editor.save(),
    fields: conflict ? (
      <Conflict noun="default strategy" {...conflict} />
    ) : (
      <div ref={element}>
        <Suspense fallback={<Skeleton rows={3} />}>
          <StrategyFields
            draft={draft}
            segments={segments}
            fields={fields}
            disabled={editor.isPending}
            onChange={change}
          />
          <FocusFirst within={element} />
        </Suspense>
        <div data-errors="" tabIndex={-1}>
          {/* The field of the rollout shows its own problem. */}
          <FormErrors
            messages={[...problems.filter(one => one !== rolloutProblem(draft)), ...otherMessages(error, [])]}
          />
        </div>
      </div>
    ),
    rail: <Effect project={project.id} environment={environment} use={use} before={base} after={draft} />,
    bar: (
      <>
        {!conflict && (
          <SaveBar
            changes={changes}
            action={isProduction ? `Save for ${environment}` : 'Save'}
            missing={missing}
            pending={editor.isPending}
            disabled={isInvalid}
            onSave={editor.save}
            onDiscard={() => {
              editor.discard();
              close();
            }}
          />
        )}
        {question}
      </>
    ),
  });
}

/** What the default strategy changes for flags with and without a strategy, and for new flags. */
function Effect({
  project,
  environment,
  use,
  before,
  after,
}: {
  project: string;
  environment: string;
  use: EnvironmentInProject;
  before: Draft;
  after: Draft;
}) {
  const names = new Map((useQuery(segmentsQuery).data?.segments ?? []).map(one => [one.id, one.name]));
  const [was, is] = [textOf(audienceOf(before, names)), textOf(audienceOf(after, names))];
  const kept = use.features - use.startingFeatures;
  const more = use.startingFeatures - use.startingFeatureNames.length;
  return (
    <RailSection title="Saving affects">
      <Effects
        none=""
        effects={[
          {
            title: 'Existing strategies',
            aside: 'no change',
            words:
              kept === 0
                ? `No flag has a strategy in ${environment} yet.`
                : `${counted(kept, 'flag keeps its strategies', 'flags keep their strategies')} in ${environment}.`,
          },
          use.startingFeatures > 0 && {
            title: 'Flags without a strategy',
            aside: counted(use.startingFeatures, 'flag'),
            words: (
              <>
                {use.startingFeatureNames.map((name, index) => (
                  <span key={name}>
                    {index > 0 && ', '}
                    <FlagLink project={project} name={name} />
                  </span>
                ))}
                {more > 0 && ` and ${more} more`} start with{' '}
                {was !== is && (
                  <>
                    <del className={s.del}>{was}</del>{' '}
                  </>
                )}
                <ins className={s.add}>{is}</ins> when someone enables{' '}
                {use.startingFeatures === 1 ? 'it' : 'them'}.
              </>
            ),
          },
          {
            title: 'New flags',
            words: (
              <>
                Start with <Words words={audienceOf(after, names)} />.
              </>
            ),
          },
        ]}
      />
    </RailSection>
  );
}

/** Focuses the first field when the fields are loaded. */
function FocusFirst({ within }: { within: RefObject<HTMLElement | null> }) {
  useEffect(() => within.current?.querySelector('input')?.focus(), [within]);
  return null;
}
