import { readFileSync } from 'node:fs';
import { operatorDocument } from '../../support/operator-document.js';

const printed = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the OpenAPI document', () => {
  it('is printed in docs/openapi.json as the routes are now', () => {
    expect(JSON.parse(readFileSync('docs/openapi.json', 'utf8'))).toEqual(printed(operatorDocument()));
  });

  it('refers only to schemas that it has', () => {
    const text = JSON.stringify(operatorDocument());
    const { components } = operatorDocument() as { components: { schemas: object } };
    const names = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(10);
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(names));
  });

  it('names every parameter of a path', () => {
    const { paths } = operatorDocument() as {
      paths: Record<string, Record<string, { parameters?: { name: string; in: string }[] }>>;
    };
    for (const [path, operations] of Object.entries(paths)) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters = [] } of Object.values(operations)) {
        expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(inPath);
      }
    }
  });
});
