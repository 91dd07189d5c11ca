import type { Content } from './contents.ts';

const LINE = '-'.repeat(80);

/** The content of THIRD-PARTY-NOTICES.txt. */
export function noticesOf(contents: Content[]): string {
  const parts = contents.map(
    ({ name, version, licence, texts }) =>
      `${LINE}\n${name} ${version} (${licence})\n${LINE}\n\n${texts.join('\n\n')}\n`,
  );
  return `Halyard contains these packages, under the licenses below.\n\n${parts.join('\n')}`;
}

type Product = { name: string; version: string; license: string };

/** The list of packages as CycloneDX 1.6. It has no time and no serial number, so that two builds are equal. */
export function sbomOf(
  product: Product,
  contents: Content[],
  integrity: (content: Content) => string,
): string {
  const purl = purlOf(product);
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
    components: contents.map(content => componentOf(content, integrity(content))),
    dependencies: [{ ref: purl, dependsOn: contents.map(purlOf) }],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function componentOf(content: Content, integrity: string) {
  const [, group, name = content.name] = /^(@[^/]+)\/(.*)$/.exec(content.name) ?? [];
  const isExpression = / (OR|AND|WITH) /.test(content.licence);
  return {
    type: 'library',
    'bom-ref': purlOf(content),
    ...(group === undefined ? {} : { group }),
    name,
    version: content.version,
    hashes: [
      { alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') },
    ],
    licenses: [isExpression ? { expression: content.licence } : { license: { id: content.licence } }],
    purl: purlOf(content),
  };
}

const purlOf = ({ name, version }: { name: string; version: string }): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;
