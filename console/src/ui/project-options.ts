type Project = { id: string; name: string };

/** Returns a function that labels a project with its name, followed by its ID if a different project has the same name. */
export function makeProjectLabeler(projects: readonly Project[]): (project: Project) => string {
  const counts = new Map<string, number>();
  for (const { name } of projects) counts.set(name, (counts.get(name) ?? 0) + 1);
  return ({ id, name }) => ((counts.get(name) ?? 0) > 1 ? `${name} (${id})` : name);
}

/** Returns the projects as options of a select. */
export const toProjectOptions = (projects: readonly Project[]): { value: string; label: string }[] => {
  const label = makeProjectLabeler(projects);
  return projects.map(project => ({ value: project.id, label: label(project) }));
};
