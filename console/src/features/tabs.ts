// The flag page's small tabs share a chunk, because each additional chunk makes the first load larger.
export { FeatureCopiesPage } from './copies.tsx';
export { FeatureDependenciesPage } from './dependencies.tsx';
export { FeatureSettingsPage } from './settings.tsx';
export { FeatureUsagePage } from './Usage.tsx';
