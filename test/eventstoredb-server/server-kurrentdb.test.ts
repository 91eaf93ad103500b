// The protocol server as the client kurrentdb sees it. The two clients cannot share a process, so that
// each has a file of its own.
import { appendModelSuite } from './append-model.ts';
import { clusterSuite } from './cluster-suite.ts';
import { faultsSuite } from './faults-suite.ts';
import { protocolSuite } from './protocol-suite.ts';
import { protocolServer, realServers } from './servers-under-test.ts';

const KIND = 'kurrentdb';

protocolSuite(KIND, protocolServer(KIND, 'the protocol server'));
protocolSuite(
  KIND,
  protocolServer(KIND, 'the protocol server beyond 2^53, in transactions', {
    firstPosition: 2n ** 60n,
    transactions: true,
  }),
);
for (const server of await realServers(KIND)) protocolSuite(KIND, server);
faultsSuite(KIND);
clusterSuite(KIND);
appendModelSuite(KIND);
