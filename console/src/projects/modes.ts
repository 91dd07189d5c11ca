import type { Project } from './queries.ts';

/** The modes of a project, and what each mode means for users. */
export const MODES: Record<Project['mode'], { label: string; description: string }> = {
  open: {
    label: 'Open',
    description: 'Every user can read the project. A change requires a permission in the project.',
  },
  protected: {
    label: 'Protected',
    description: 'Unleash clients show it as protected. In Halyard it behaves like an open project.',
  },
  private: { label: 'Private', description: 'Only members and admins can see that the project exists.' },
};

export const MODE_NAMES = Object.keys(MODES) as Project['mode'][]; // Object.keys loses the key types.

/** Returns the modes to choose from. Omits "Protected", which behaves like "Open", unless it is one of the current modes. */
export const listModeOptions = (...currentModes: Project['mode'][]): { value: string; label: string }[] =>
  MODE_NAMES.filter(mode => mode !== 'protected' || currentModes.includes(mode)).map(value => ({
    value,
    label: MODES[value].label,
  }));
