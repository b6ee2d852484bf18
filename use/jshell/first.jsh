import dev.ebb.*;
import dev.ebb.tensor.*;
Fn<Tensor, Tensor> f = x -> x.square().sum();
System.out.println(Ebb.compile(Ebb.grad(f)).apply(Array.of(1f, 2f, 3f)));
/exit
