/** The in-memory store passes the contract. */
import { createMemoryEventStore } from '@counterfoil/core';
import { eventStoreContract } from '@counterfoil/core/testing';

eventStoreContract({ name: 'memory', open: async () => createMemoryEventStore() });
