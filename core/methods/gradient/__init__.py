"""Methods that change what is done with gradients: how they are put together before the optimiser takes its step."""
