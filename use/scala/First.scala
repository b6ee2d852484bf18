import dev.ebb.{Ebb, Fn}
import dev.ebb.tensor.{Array as Tensors, Tensor}

@main def first(): Unit =
  val squares: Fn[Tensor, Tensor] = x => x.square().sum()
  println(Ebb.compile(Ebb.grad(squares)).apply(Tensors.of(1f, 2f, 3f)))
