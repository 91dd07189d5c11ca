export { FeatureTypesPage } from './page.tsx';
