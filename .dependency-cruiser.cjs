// The direction of imports, enforced: main -> plugins -> src; inside src: http, executors -> ledger -> workspace,
// mirror -> bus -> errors. No cycles at all, type-only ones included.
const layer = (name, from, to) => ({ name, severity: 'error', from: { path: from }, to: { path: to } });

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'src-never-imports-plugins',
      comment: 'Only the composition root knows the plugins.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/main\\.ts$' },
      to: { path: '^plugins/' },
    },
    {
      name: 'plugins-meet-on-the-bus',
      comment: 'A plugin never imports another plugin: folder two levels deep is one plugin.',
      severity: 'error',
      from: { path: '^plugins/((?:surfaces|executors|followers)/[^/]+)/' },
      to: { path: '^plugins/', pathNot: '^plugins/$1/' },
    },
    {
      name: 'dispatcher-is-alone',
      severity: 'error',
      from: { path: '^plugins/dispatcher/' },
      to: { path: '^plugins/', pathNot: '^plugins/dispatcher/' },
    },
    layer('bus-knows-only-errors', '^src/bus/', '^src/(ledger|workspace|mirror|http|executors|cli|main|config)'),
    layer('workspace-below-ledger', '^src/workspace/', '^src/(ledger|mirror|http|executors|cli|main)'),
    layer('mirror-below-ledger', '^src/mirror/', '^src/(ledger|workspace|http|executors|cli|main)'),
    layer('ledger-below-doors', '^src/ledger/', '^src/(http|executors|cli|main)'),
    layer('remote-beside-the-ledger', '^src/remote/', '^src/(ledger|mirror|http|cli|main)'),
    layer('http-below-the-root', '^src/http/', '^src/(executors|cli|main)'),
    layer('executors-below-the-root', '^src/executors/', '^src/(http|cli|main)'),
    layer('plugins-below-the-root', '^plugins/', '^src/(cli|main)'),
    layer('errors-know-nobody', '^src/errors\\.ts$', '^(src|plugins)/'),
    {
      name: 'sql-only-in-mirror',
      severity: 'error',
      from: { path: '^(src|plugins)/', pathNot: '^src/mirror/' },
      to: { path: 'node_modules/better-sqlite3' },
    },
    {
      name: 'http-goes-out-in-net-only',
      comment: 'Everything outbound passes src/net, where addresses are checked; src/http only listens.',
      severity: 'error',
      from: { path: '^(src|plugins)/', pathNot: '^src/(net|http)/' },
      to: { path: 'node_modules/undici|^(node:)?(http|https|http2|tls|dns|dns/promises|dgram)$' },
    },
    {
      name: 'net-knows-nobody',
      severity: 'error',
      from: { path: '^src/net/' },
      to: { path: '^(src|plugins)/', pathNot: '^src/(net/|clock\\.ts)' },
    },
    {
      name: 'grpc-dials-checked-addresses',
      comment: 'gRPC makes connections of its own: only where they go to addresses that src/net has checked.',
      severity: 'error',
      from: { path: '^(src|plugins)/', pathNot: '^src/remote/grpc-|^plugins/surfaces/' },
      to: { path: 'node_modules/@grpc' },
    },
    {
      name: 'sdk-only-at-the-edges',
      severity: 'error',
      from: { path: '^(src|plugins)/', pathNot: '^plugins/surfaces/a2a-bridge/|^src/remote/grpc-codecs\\.ts$' },
      to: { path: 'node_modules/@a2a-js' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
};
