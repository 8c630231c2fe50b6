package diagnose

// Rules is the registry of findings, in the order in which they are judged:
// later rules may ask whether an earlier one is raised.
func Rules() []Rule {
	return []Rule{
		// client
		beforeServer(), clientPool(), clientCPU(), pathStuck(), network(),
		clientTimeout(), clientBelowTarget(), concurrencyBelowBatch(), closedLoopCeiling(),
		timeoutNear(), countsFailures(),
		// batching
		batchingOff(), batchWaitCeiling(), serverSaturated(), queueUnbounded(),
		serverRejects(), serverDown(), zombieWork(), kvPressure(),
		// gpu
		thermal(), powerCap(), powerBrake(), clockDrift(), gpuIdleGaps(), lowSMActivity(),
		// trust
		serverSilent(), clientSilent(), notWarm(), unsteady(), clockSkew(), fewSamples(),
	}
}
