import type { BundledPackage } from './contents.ts';

const SEPARATOR = '-'.repeat(80);

/** Formats the content of THIRD-PARTY-NOTICES.txt. */
export function formatNotices(contents: BundledPackage[]): string {
  const notices = contents.map(
    ({ name, version, license, texts }) =>
      `${SEPARATOR}\n${name} ${version} (${license})\n${SEPARATOR}\n\n${texts.join('\n\n')}\n`,
  );
  return `Halyard contains these packages, under the licenses below.\n\n${notices.join('\n')}`;
}

type Product = { name: string; version: string; license: string };

/** Formats the packages as a CycloneDX 1.6 SBOM, without a timestamp or serial number, so that builds are reproducible. */
export function formatSbom(
  product: Product,
  contents: BundledPackage[],
  getIntegrity: (content: BundledPackage) => string,
): string {
  const purl = toPurl(product);
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': purl,
        name: product.name,
        version: product.version,
        licenses: [{ license: { id: product.license } }],
        purl,
      },
    },
    components: contents.map(content => toComponent(content, getIntegrity(content))),
    dependencies: [{ ref: purl, dependsOn: contents.map(toPurl) }],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function toComponent(content: BundledPackage, integrity: string) {
  const [, group, name = content.name] = /^(@[^/]+)\/(.*)$/.exec(content.name) ?? [];
  const isExpression = / (OR|AND|WITH) /.test(content.license);
  return {
    type: 'library',
    'bom-ref': toPurl(content),
    ...(group === undefined ? {} : { group }),
    name,
    version: content.version,
    hashes: [
      { alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') },
    ],
    licenses: [isExpression ? { expression: content.license } : { license: { id: content.license } }],
    purl: toPurl(content),
  };
}

const toPurl = ({ name, version }: { name: string; version: string }): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;
