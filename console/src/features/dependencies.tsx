import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { GitFork, Plus } from 'lucide-react';
import { Can } from '../ui/Can.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Env } from '../ui/Env.tsx';
import { State } from '../ui/State.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { useFilters } from '../ui/useFilters.ts';
import { FlagLink } from './FlagLink.tsx';
import { FlagFrame } from './Frame.tsx';
import { ParentPanel } from './ParentPanel.tsx';
import { type Dependency, deleteParent, type Feature, featureQuery, setParent } from './queries.ts';
import s from './tab.module.css';
import { describeRequirement } from './words.ts';

/** Shows the parents that a flag depends on, and the flags that depend on it. */
export function FeatureDependenciesPage() {
  return <FlagFrame>{feature => <Dependencies feature={feature} />}</FlagFrame>;
}

/** Lists parents and children. `?edit=parent` adds a parent, `?edit=parent:<name>` changes the condition of a parent. */
function Dependencies({ feature }: { feature: Feature }) {
  const { search, push, replace } = useFilters();
  const editMatch = typeof search.edit === 'string' ? /^parent(?::(.+))?$/.exec(search.edit) : null;
  const parent = feature.dependencies.find(dependency => dependency.feature === editMatch?.[1]);
  const isOpen = editMatch !== null && (editMatch[1] === undefined || parent !== undefined);
  const isParent = feature.children.length > 0;
  return (
    <div className={s.tab}>
      <section aria-label="Parents">
        <header>
          <h2>Parents</h2>
          <span className="muted">SDKs serve the flag only where every parent meets its condition</span>
          {!feature.archived && !isParent && (
            <Can call="addFeatureDependency" project={feature.project}>
              <Button leftSection={<Plus size={14} />} onClick={() => push({ edit: 'parent' })}>
                Add a parent
              </Button>
            </Can>
          )}
        </header>
        {feature.dependencies.length === 0 && (
          <Empty>
            {isParent
              ? 'A flag that other flags depend on cannot have parents.'
              : feature.archived
                ? 'An archived flag has no parents.'
                : 'The flag does not depend on other flags.'}
          </Empty>
        )}
        <ul>
          {feature.dependencies.map(dependency => (
            <Parent
              key={dependency.feature}
              feature={feature}
              parent={dependency}
              onEdit={() => push({ edit: `parent:${dependency.feature}` })}
            />
          ))}
        </ul>
      </section>
      <section aria-label="Children">
        <header>
          <h2>Children</h2>
          <span className="muted">Flags that depend on this flag</span>
        </header>
        {feature.children.length === 0 && <Empty>No flag depends on this flag.</Empty>}
        <ul>
          {feature.children.map(name => (
            <li key={name}>
              <GitFork size={14} aria-hidden="true" />
              <FlagLink project={feature.project} name={name} />
            </li>
          ))}
        </ul>
      </section>
      {isOpen && (
        <ParentPanel
          key={parent?.feature}
          feature={feature}
          parent={parent}
          onClose={() => replace({ edit: undefined })}
        />
      )}
    </div>
  );
}

function Parent({ feature, parent, onEdit }: { feature: Feature; parent: Dependency; onEdit(): void }) {
  const path = { projectId: feature.project, featureName: feature.name };
  const parentFeature = useQuery(featureQuery({ ...path, featureName: parent.feature })).data;
  const remove = async () => {
    await deleteParent({ ...path, parent: parent.feature });
    const restore = () => setParent(path, parent);
    toast({
      message: `${feature.name} no longer depends on ${parent.feature}.`,
      action: { label: 'Undo', run: () => void restore().catch(toastError) },
    });
  };
  return (
    <li aria-label={parent.feature}>
      <GitFork size={14} aria-hidden="true" />
      <span className={s.what}>
        <FlagLink project={feature.project} name={parent.feature} />
        <b>{describeRequirement(parent)}</b>
      </span>
      <span className={s.states}>
        {parentFeature?.environments.map(({ name, type, enabled }) => (
          <span key={name}>
            <Env name={name} type={type} />
            <State tone={enabled ? 'on' : 'off'}>{enabled ? 'Enabled' : 'Disabled'}</State>
          </span>
        ))}
      </span>
      {!feature.archived && (
        <span className={s.buttons}>
          <Can call="addFeatureDependency" project={feature.project}>
            <Button onClick={onEdit}>
              Edit… <span className="sr">{parent.feature}</span>
            </Button>
          </Can>
          <Can call="deleteFeatureDependency" project={feature.project}>
            <Button variant="subtle" onClick={() => void remove().catch(toastError)}>
              Remove <span className="sr">{parent.feature}</span>
            </Button>
          </Can>
        </span>
      )}
    </li>
  );
}
